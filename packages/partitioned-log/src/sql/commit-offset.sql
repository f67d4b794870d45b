-- Not durable at once: a record whose commit is lost is read again.
-- $1 group, $2 topic, $3 partition, $4 member, $5 fence, $6 offset of the next record
with setting as materialized (select set_config('synchronous_commit', 'off', true))
update log_leases l
set committed = greatest(coalesce(l.committed, 0), $6)
from setting
where
  l.grp = $1
  and l.topic_id = $2
  and l.part = $3
  and l.owner = $4
  and l.fence = $5
  and exists (select from log_members m where m.grp = $1 and m.member = $4)
