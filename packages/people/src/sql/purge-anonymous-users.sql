-- name: find-stale-anonymous-users
select id, application_id
from users
where registered_at is null and merged_into is null and updated_at < $1
order by updated_at
limit $2

-- name: purge-anonymous-users
with due as (
  select u.id,
    exists (select from events e where e.user_id = u.id)
      or exists (select from devices d where d.user_id = u.id) as is_active
  from users u
  where u.id = any($1) and u.registered_at is null and u.merged_into is null and u.updated_at < $2
),
kept as (
  update users u set updated_at = $3 from due d where u.id = d.id and d.is_active
),
gone as (
  delete from users u using due d where u.id = d.id and not d.is_active returning u.id
),
nameless as (delete from user_identities i using gone g where i.user_id = g.id)
select count(*)::int as gone
from gone
