-- name: list-people
-- Registered people with such an event in the period. Their order has nothing to do with them: the
-- first ones are a random sample. `number` counts those after the given place.
-- $1 application, $2 slugs, $3 from and $4 to in milliseconds, $5 and $6 after, $7 limit
select p.id, p.custom_user_id,
  hashtextextended(p.id::text, 0)::text as place,
  floor(extract(epoch from p.registered_at) * 1000)::float8 as registered_ms,
  (count(*) over ())::float8 as number
from (
  select distinct coalesce(u.merged_into, u.id) as id
  from events e join users u on u.id = e.user_id
  where e.application_id = $1
    and e.slug = any($2::text[])
    and e.received_at >= to_timestamp($3::float8 / 1000)
    and e.received_at <= to_timestamp($4::float8 / 1000)
) x
  join users p on p.id = x.id
where p.registered_at is not null
  and p.custom_user_id is not null
  and (hashtextextended(p.id::text, 0), p.id) > ($5::bigint, $6::uuid)
order by hashtextextended(p.id::text, 0), p.id
limit $7
