-- Under the lock of the group.
-- $1 group, $2 member, $3 topics and $4 partitions of its shares, $5 rebalance timeout in ms
update log_leases l
set
  owner = $2,
  fence = l.fence + 1
from unnest($3::int[], $4::int[]) as share (topic_id, part)
cross join log_groups g
where
  l.grp = $1
  and g.grp = $1
  and l.topic_id = share.topic_id
  and l.part = share.part
  and (
    l.owner is null
    or not exists (select from log_members m where m.grp = $1 and m.member = l.owner)
    or (l.owner <> $2 and g.changed_at < clock_timestamp() - $5 * interval '1 ms')
  )
returning
  l.topic_id as "topicId",
  l.part,
  l.fence,
  l.committed
