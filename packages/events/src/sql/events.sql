-- part: insert-event-rows
insert into events (
  request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at,
  attributes, revenue, currency, is_proved
)
select request_id, message_index, application_id, user_id, message_id, type, slug, time,
  to_timestamp(received_at / 1000.0), attributes::jsonb, revenue, currency, is_proved
from unnest(
  $1::uuid[], $2::int[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::bigint[],
  $9::float8[], $10::text[], $11::float8[], $12::text[], $13::bool[]
) as x(
  request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at,
  attributes, revenue, currency, is_proved
)

-- name: insert-events
-- include: insert-event-rows

-- name: insert-missing-events
-- include: insert-event-rows
on conflict (request_id, message_index, received_at) do nothing
