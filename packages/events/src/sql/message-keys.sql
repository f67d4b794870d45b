-- name: insert-keys
insert into duplicate_keys (id_key, user_time_key, request_id, message_index, received_at)
select id_key, user_time_key, request_id, message_index, to_timestamp(received_at / 1000.0)
from unnest(
  $1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::bigint[], $8::uuid[],
  $9::int[], $10::float8[]
) as x(
  id_key, user_time_key, application_id, message_id, origin, service_user_id, time, request_id,
  message_index, received_at
)
where
  -- `offset 0`: looked up for each row, because a join would read the whole table.
  not exists (
    select
    from message_keys k
    where k.application_id = x.application_id
      and k.message_id = x.message_id
      and (k.origin = x.origin or k.holds_both)
    offset 0
  )
  and not exists (
    select
    from message_keys k
    where k.application_id = x.application_id
      and k.service_user_id = x.service_user_id
      and k.time = x.time
    offset 0
  )
on conflict do nothing

-- name: read-keys
with wanted as (
  select *
  from unnest(
    $1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::bigint[]
  ) with ordinality as w(
    id_key, user_time_key, application_id, message_id, origin, service_user_id, time, position
  )
)
select w.position::int, 'id' as rule, found.request_id, found.message_index
from wanted w
  cross join lateral (
    select k.request_id, k.message_index from duplicate_keys k where k.id_key = w.id_key limit 1
  ) found
union all
select w.position::int, 'user_time', found.request_id, found.message_index
from wanted w
  cross join lateral (
    select k.request_id, k.message_index
    from duplicate_keys k
    where k.user_time_key = w.user_time_key
    limit 1
  ) found
union all
select w.position::int, 'id', found.request_id, found.message_index
from wanted w
  cross join lateral (
    select k.request_id, k.message_index
    from message_keys k
    where k.application_id = w.application_id
      and k.message_id = w.message_id
      and (k.origin = w.origin or k.holds_both)
    limit 1
  ) found
union all
select w.position::int, 'user_time', found.request_id, found.message_index
from wanted w
  cross join lateral (
    select k.request_id, k.message_index
    from message_keys k
    where k.application_id = w.application_id
      and k.service_user_id = w.service_user_id
      and k.time = w.time
    limit 1
  ) found
where w.service_user_id is not null

-- name: delete-keys
delete from duplicate_keys k using unnest($1::uuid[], $2::uuid[], $3::int[]) as w(
  id_key, request_id, message_index
)
where k.id_key = w.id_key and k.request_id = w.request_id and k.message_index = w.message_index
