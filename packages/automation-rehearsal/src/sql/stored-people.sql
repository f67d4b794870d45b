-- part: first-people(most)
select (select count(*) from people)::float8 as number,
  coalesce(
    (
      select string_agg(uuid_send(l.id), ''::bytea order by l.place, l.id)
      from (select * from people order by place, id limit most) l
    ),
    ''::bytea
  ) as ids

-- name: list-people
-- Registered people with such an event in the period: how many, and the ids of the first, sixteen
-- bytes each. Their order has nothing to do with them: the first ones are a random sample.
-- $1 application, $2 slugs, $3 from and $4 to in milliseconds, $5 limit
with people as materialized (
  select p.id, hashtextextended(p.id::text, 0) as place
  from (
    select distinct coalesce(u.merged_into, u.id) as id
    from events e join users u on u.id = e.user_id
    where e.application_id = $1
      and e.slug = any($2::text[])
      and e.received_at >= to_timestamp($3::float8 / 1000)
      and e.received_at <= to_timestamp($4::float8 / 1000)
  ) x
    join users p on p.id = x.id
  where p.registered_at is not null and p.custom_user_id is not null
)
-- include: first-people($5)

-- name: list-registered
-- As above, of all who are registered. $1 application, $2 by when in milliseconds, $3 limit
with people as materialized (
  select p.id, hashtextextended(p.id::text, 0) as place
  from users p
  where p.application_id = $1
    and p.registered_at <= to_timestamp($2::float8 / 1000)
    and p.custom_user_id is not null
)
-- include: first-people($3)

-- name: read-listed-people
-- Without those who are gone. $1 their ids
select u.id, coalesce(u.custom_user_id, '') as custom_user_id,
  floor(extract(epoch from u.registered_at) * 1000)::float8 as registered_ms
from unnest($1::uuid[]) with ordinality as x(id, no)
  join users u on u.id = x.id
where u.registered_at is not null and u.custom_user_id is not null
order by x.no
