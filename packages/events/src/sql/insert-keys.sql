insert into duplicate_keys (
  id_key,
  user_time_key,
  request_id,
  message_index,
  received_at
)
select
  id_key,
  user_time_key,
  request_id,
  message_index,
  to_timestamp(received_at / 1000.0)
from
  unnest(
    $1::uuid[],
    $2::uuid[],
    $3::uuid[],
    $4::text[],
    $5::text[],
    $6::uuid[],
    $7::bigint[],
    $8::uuid[],
    $9::int[],
    $10::float8[]
  ) as x(
    id_key,
    user_time_key,
    application_id,
    message_id,
    origin,
    service_user_id,
    time,
    request_id,
    message_index,
    received_at
  )
where
  -- `offset 0`: looked up for each row, because a join would read the whole table.
  not exists (
    select
    from message_keys k
    where
      k.application_id = x.application_id
      and k.message_id = x.message_id
      and (
        k.origin = x.origin
        or k.holds_both
      )
    offset 0
  )
  and not exists (
    select
    from message_keys k
    where
      k.application_id = x.application_id
      and k.service_user_id = x.service_user_id
      and k.time = x.time
    offset 0
  )
on conflict do nothing
