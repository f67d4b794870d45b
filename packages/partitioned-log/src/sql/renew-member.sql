-- $1 group, $2 member, $3 lease in ms
with own as (
  update log_members
  set until = clock_timestamp() + $3 * interval '1 ms'
  where
    grp = $1
    and member = $2
  returning member
)
select
  g.generation,
  exists (select from own) as "isMember",
  exists (
    select
    from log_members m
    where
      m.grp = $1
      and m.member <> $2
      and m.until < clock_timestamp()
  ) as "isAnyDead",
  (
    select count(*)::int
    from log_leases l
    where
      l.grp = $1
      and l.owner = $2
  ) as leases
from log_groups g
where g.grp = $1
