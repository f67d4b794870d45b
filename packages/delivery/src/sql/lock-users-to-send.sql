-- 7301 tells these advisory locks, those of users' marketing, from others.
select pg_advisory_xact_lock(key)
from
  (
    select distinct hashtextextended(d.user_id::text || $2, 7301) as key
    from deliveries d
    where
      d.id = any($1)
      and d.user_id is not null
    order by 1
  ) users
