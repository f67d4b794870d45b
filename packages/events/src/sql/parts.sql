-- part: event-columns(e, d)
-- What `toEventRecord` reads.
e.message_id, e.type, d.slug, d.name, e.time::text, e.received_at, e.attributes::text, e.revenue,
e.currency, e.request_id, e.message_index

-- part: current-definition(e, d)
-- After a merge it differs from the stored one.
join definitions o on o.application_id = e.application_id and o.slug = e.slug
join definitions d on d.application_id = e.application_id
  and d.slug = coalesce(o.merged_into, o.slug)

-- part: page-of-user-events(u)
-- Newest event time first, after the position of the cursor, if there is one.
select *
from events
where user_id = u.id
  and ($2::bigint is null or (time, request_id, message_index) < ($2::bigint, $3::uuid, $4::int))
order by time desc, request_id desc, message_index desc
limit $5

-- part: micros(instant)
-- Microseconds since the epoch, exact in a double.
(extract(epoch from instant) * 1000000)::float8

-- part: is-on-page
-- Newest arrival first, after the position of the cursor, if there is one. The first comparison
-- bounds the range of an index.
(
  $2::timestamptz is null
  or (
    received_at <= $2::timestamptz
    and (received_at, request_id, message_index) < ($2::timestamptz, $3::uuid, $4::int)
  )
)

-- part: logged-columns(m)
-- What `toFound` reads.
-- include: micros(m.received_at) as micros,
m.request_id, m.message_index, m.message_id, m.type, m.outcome, m.reason

-- part: is-of-user(m, user_ids, dead_requests, profile_requests, profile_indexes)
-- Nulls match all users.
--
-- The receipt of an ordinary processed `user` message names no user. It is matched by the profile
-- values that it set, or by another message of its request, whose receipt or event names the user:
-- all messages of a request have the same user. `offset 0` keeps the planner from reading all
-- events of the user.
(
  user_ids::uuid[] is null
  or m.user_id = any(user_ids::uuid[])
  or m.request_id = any(dead_requests::uuid[])
  or (
    m.type = 'user'
    and m.user_id is null
    and (
      (m.request_id, m.message_index) in (
        select * from unnest(profile_requests::uuid[], profile_indexes::int[])
      )
      or (
        select true
        from receipts o
        where o.request_id = m.request_id
          and o.received_at = m.received_at
          and o.user_id = any(user_ids::uuid[])
        limit 1
      )
      or (
        select true
        from (
          select user_id
          from events
          where request_id = m.request_id and received_at = m.received_at
          offset 0
        ) o
        where o.user_id = any(user_ids::uuid[])
        limit 1
      )
    )
  )
)

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
