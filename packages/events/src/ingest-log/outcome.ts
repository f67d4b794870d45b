/**
 * SQL: the receipts of the requests in `scanned` (their request_id and received_at), each with the outcome and reason that
 * a caller is shown. An event that is stored is visible once its user has registered: that is the user's state, which no
 * receipt says, and until then it is held, or pending while its own request may still register the user. Where the user
 * is gone, the event was visible: of held ones a deletion says that they are dropped.
 *
 * Receipts and persons are looked up one by one: the planner would rather read those of all applications, as long as it
 * can. It does not know that each look is into one partition, nor look through an `offset` or `limit`.
 */
export const SHOWN_RECEIPTS = `
  select r.request_id, r.message_index, r.received_at, r.message_id, r.type, r.user_id, shown.outcome,
         case when shown.outcome = 'held' then 'unregistered_user' else r.reason end as reason
  from scanned s
  cross join lateral (
    select * from receipts where request_id = s.request_id and received_at = s.received_at offset 0) as r
  left join lateral (
    select true as is_known, coalesce(root.registered_at, u.registered_at) as registered_at
    from users u left join users root on root.id = u.merged_into where u.id = r.user_id limit 1) as person on true
  cross join lateral (
    select case when r.outcome <> 'stored' then r.outcome
                when r.user_id is null or person.is_known is null or person.registered_at is not null then 'processed'
                when exists (select 1 from receipts p where p.request_id = s.request_id and p.received_at = s.received_at
                             and p.type = 'user' and p.outcome = 'pending') then 'pending'
                else 'held' end as outcome) as shown`;
