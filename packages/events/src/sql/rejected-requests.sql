-- name: insert-rejected-requests
insert into refused_requests (
  request_id, application_id, received_at, path, status, code, key_id, address, errors, unlisted,
  custom_user_id, service_user_id
)
select request_id, application_id, to_timestamp(received_at / 1000.0), path, status, code, key_id,
  address, errors::jsonb, unlisted, custom_user_id, service_user_id
from unnest(
  $1::uuid[], $2::uuid[], $3::float8[], $4::text[], $5::int[], $6::text[], $7::uuid[], $8::text[],
  $9::text[], $10::int[], $11::text[], $12::uuid[]
) as x(
  request_id, application_id, received_at, path, status, code, key_id, address, errors, unlisted,
  custom_user_id, service_user_id
)
on conflict do nothing
