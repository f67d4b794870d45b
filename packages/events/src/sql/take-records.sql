-- part: take-records(own_mark, other_mark)
insert into ingest_requests as r (request_id, application_id, received_at, message_count, own_mark)
select id, application_id, to_timestamp(received_at / 1000.0), message_count, true
from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::int[]) as x(
  id, application_id, received_at, message_count
)
on conflict (request_id, received_at) do update
set own_mark = true
where not r.own_mark
returning request_id, not other_mark and received_at > now() - interval '1 day' as is_first_seen

-- name: take-records-for-users
-- include: take-records(taken_by_users, taken_by_events)

-- name: take-records-for-events
-- include: take-records(taken_by_events, taken_by_users)
