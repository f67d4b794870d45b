insert into ingest_requests as r (
  request_id,
  application_id,
  received_at,
  message_count,
  taken_by_events
)
select
  id,
  application_id,
  to_timestamp(received_at / 1000.0),
  message_count,
  true
from
  unnest($1::uuid[], $2::uuid[], $3::float8[], $4::int[])
    as x(id, application_id, received_at, message_count)
on conflict (request_id, received_at) do update
set taken_by_events = true
where not r.taken_by_events
returning
  request_id,
  not taken_by_users
    and received_at > now() - interval '1 day' as is_first_seen
