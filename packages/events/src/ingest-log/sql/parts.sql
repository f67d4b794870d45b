-- part: shown-receipts
-- The receipts of the requests in `scanned` (request_id, received_at), with the outcome and reason
-- that the API shows.
--
-- An event without a receipt, or with a pending one, was visible when it was stored: its receipt is
-- derived from it. Other stored events are visible once their user is registered, which receipts do
-- not say. Until then such an event is `held`, or `pending` while its own request may still
-- register the user. If the user is gone, the event was visible: deletion marks held events as
-- dropped.
--
-- Rows and users are looked up one by one, with `offset 0` and `limit 1` as optimiser fences.
-- Otherwise the planner scans the receipts of all applications, because it does not know that each
-- lookup touches one partition.
select r.request_id, r.message_index, r.received_at, r.message_id, r.type, r.user_id, shown.outcome,
  case when shown.outcome = 'held' then 'unregistered_user' else r.reason end as reason
from scanned s
  cross join lateral (
    select s.request_id, message_index, s.received_at,
      coalesce(n.message_id, e.message_id) as message_id, coalesce(n.type, e.type) as type,
      coalesce(n.user_id, e.user_id) as user_id, n.reason,
      case
        when e.is_event and coalesce(n.outcome, 'pending') = 'pending' then 'processed'
        else n.outcome
      end as outcome
    from (
      select message_index, message_id, type, user_id, outcome, reason
      from receipts
      where request_id = s.request_id and received_at = s.received_at
      offset 0
    ) as n
      full join (
        select message_index, message_id, type, user_id, true as is_event
        from events
        where request_id = s.request_id and received_at = s.received_at
        offset 0
      ) as e using (message_index)
  ) as r
  left join lateral (
    select true as is_known, coalesce(root.registered_at, u.registered_at) as registered_at
    from users u left join users root on root.id = u.merged_into
    where u.id = r.user_id and r.outcome = 'stored'
    limit 1
  ) as person on true
  cross join lateral (
    select case
      when r.outcome <> 'stored' then r.outcome
      when r.user_id is null
        or person.is_known is null
        or person.registered_at is not null then 'processed'
      when exists (
        select 1
        from receipts p
        where p.request_id = s.request_id
          and p.received_at = s.received_at
          and p.type = 'user'
          and p.outcome = 'pending'
      ) then 'pending'
      else 'held'
    end as outcome
  ) as shown
