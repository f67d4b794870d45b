-- part: insert-receipt-rows
insert into receipts as r (
  request_id, message_index, application_id, message_id, type, outcome, reason, user_id, received_at
)
select request_id, message_index, application_id, message_id, type, outcome, reason, user_id,
  to_timestamp(received_at / 1000.0)
from unnest(
  $1::uuid[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[],
  $9::float8[]
) as x(
  request_id, message_index, application_id, message_id, type, outcome, reason, user_id, received_at
)

-- name: insert-receipts
-- include: insert-receipt-rows

-- name: insert-or-settle-receipts
-- include: insert-receipt-rows
where outcome <> 'pending'
  -- The receipt of a stored event is derived: the event says that the message is settled.
  or not exists (
    select
    from events e
    where e.request_id = x.request_id
      and e.message_index = x.message_index
      and e.received_at = to_timestamp(x.received_at / 1000.0)
    offset 0
  )
on conflict (request_id, message_index, received_at) do update
set outcome = excluded.outcome, reason = excluded.reason, user_id = excluded.user_id
where r.outcome = 'pending' and excluded.outcome <> 'pending'

-- name: reopen-receipts
update receipts
set outcome = 'pending', reason = null
where request_id = $1
  and received_at = to_timestamp($2::float8 / 1000.0)
  and type = any($3)
  and outcome = 'dropped'
  and reason = 'dead_letter'
