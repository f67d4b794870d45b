select
  r.request_id,
  r.message_index,
  r.received_at,
  r.outcome = 'stored'
    and u.id is not null
    and coalesce(root.registered_at, u.registered_at) is null as is_held
from
  (
    select
      request_id,
      message_index,
      received_at,
      outcome,
      user_id
    from receipts
    where
      received_at < $1
      and (request_id, message_index) > ($2::uuid, $3::int)
    order by
      request_id,
      message_index
    limit $4
  ) r
  left join users u on u.id = r.user_id
  left join users root on root.id = u.merged_into
order by
  r.request_id,
  r.message_index
