-- name: find-dead-letter-requests
select distinct request_id
from dead_letters
where application_id = $1 and record_key = $2 and request_id is not null
limit 1000

-- name: read-service-user-ids
select service_user_id as id from user_identities where user_id = any($1) limit 1000

-- name: read-profile-messages
with stamps as (
  select s.stamp
  from users u
    cross join lateral (
      select value as stamp
      from jsonb_each(u.clocks -> 'fields')
      union all
      select value
      from jsonb_each(u.clocks -> 'custom')
      union all
      select u.clocks -> 'customCleared'
    ) as s
  where u.id = any($2)
),
named as (
  select distinct stamp ->> 1 as message_id, coalesce(stamp ->> 2, 'server') as origin
  from stamps
  where stamp is not null
  limit 1000
)
select k.request_id, k.message_index
from named
  cross join lateral (
    select request_id, message_index
    from holders_of($1, named.message_id)
    order by origin = named.origin desc
    limit 1
  ) as k
