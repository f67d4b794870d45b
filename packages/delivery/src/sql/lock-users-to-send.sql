-- 7301 is the namespace of these advisory locks (marketing per user).
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
