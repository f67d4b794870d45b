with
  wanted as (
    select *
    from
      unnest(
        $1::uuid[],
        $2::text[],
        $3::text[],
        $4::uuid[],
        $5::bigint[]
      ) as w(
        application_id,
        message_id,
        origin,
        service_user_id,
        time
      )
  )
select found.*
from
  wanted w
  cross join lateral (
    select
      k.application_id,
      k.message_id,
      k.origin,
      k.holds_both,
      k.service_user_id,
      k.time,
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
select found.*
from
  wanted w
  cross join lateral (
    select
      k.application_id,
      k.message_id,
      k.origin,
      k.holds_both,
      k.service_user_id,
      k.time,
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
