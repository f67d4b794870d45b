insert into message_keys (
  application_id,
  message_id,
  origin,
  holds_both,
  service_user_id,
  time,
  request_id,
  message_index,
  received_at
)
select
  application_id,
  message_id,
  origin,
  false,
  service_user_id,
  case
    when service_user_id is null then null
    else time
  end,
  request_id,
  message_index,
  to_timestamp(received_at / 1000.0)
from
  unnest(
    $1::uuid[],
    $2::text[],
    $3::text[],
    $4::uuid[],
    $5::bigint[],
    $6::uuid[],
    $7::int[],
    $8::float8[]
  ) as x(
    application_id,
    message_id,
    origin,
    service_user_id,
    time,
    request_id,
    message_index,
    received_at
  )
on conflict do nothing
