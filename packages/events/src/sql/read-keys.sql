with
  wanted as (
    select *
    from
      unnest(
        $1::uuid[],
        $2::uuid[],
        $3::uuid[],
        $4::text[],
        $5::text[],
        $6::uuid[],
        $7::bigint[]
      ) with ordinality as w(
        id_key,
        user_time_key,
        application_id,
        message_id,
        origin,
        service_user_id,
        time,
        position
      )
  )
select
  w.position::int,
  'id' as rule,
  found.request_id,
  found.message_index
from
  wanted w
  cross join lateral (
    select
      k.request_id,
      k.message_index
    from duplicate_keys k
    where k.id_key = w.id_key
    limit 1
  ) found
union all
select
  w.position::int,
  'user_time',
  found.request_id,
  found.message_index
from
  wanted w
  cross join lateral (
    select
      k.request_id,
      k.message_index
    from duplicate_keys k
    where k.user_time_key = w.user_time_key
    limit 1
  ) found
union all
select
  w.position::int,
  'id',
  found.request_id,
  found.message_index
from
  wanted w
  cross join lateral (
    select
      k.request_id,
      k.message_index
    from message_keys k
    where
      k.application_id = w.application_id
      and k.message_id = w.message_id
      and (
        k.origin = w.origin
        or k.holds_both
      )
    limit 1
  ) found
union all
select
  w.position::int,
  'user_time',
  found.request_id,
  found.message_index
from
  wanted w
  cross join lateral (
    select
      k.request_id,
      k.message_index
    from message_keys k
    where
      k.application_id = w.application_id
      and k.service_user_id = w.service_user_id
      and k.time = w.time
    limit 1
  ) found
where w.service_user_id is not null
