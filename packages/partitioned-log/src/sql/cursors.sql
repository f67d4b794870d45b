-- name: lock-cursor
-- No row if another transaction has it.
-- $1 group, $2 topic, $3 partition
select coalesce(committed, 0) as committed
from log_leases
where grp = $1 and topic_id = $2 and part = $3
for update skip locked

-- name: hold-cursor
-- $1 group, $2 topic, $3 partition
select part from log_leases where grp = $1 and topic_id = $2 and part = $3 for update

-- name: move-cursor
-- $1 group, $2 topic, $3 partition, $4 offset of the next record
update log_leases
set committed = $4
where grp = $1 and topic_id = $2 and part = $3

-- name: read-unread-partitions
-- Oldest first. What retention dropped is not unread.
-- $1 group, $2 topic
select h.part, (h.next - own.next)::float8 as records,
  coalesce(extract(epoch from clock_timestamp() - oldest.at) * 1000, 0)::float8 as "ageMs"
from log_heads h
  left join log_leases l on l.grp = $1 and l.topic_id = h.topic_id and l.part = h.part
  cross join lateral (select greatest(h.low, coalesce(l.committed, 0)) as next) own
  left join lateral (
    select min(at) as at
    from (
      (
        select at
        from log_blocks_0
        where topic_id = h.topic_id and part = h.part and last >= own.next
        order by last
        limit 1
      )
      union all (
        select at
        from log_blocks_1
        where topic_id = h.topic_id and part = h.part and last >= own.next
        order by last
        limit 1
      )
      union all (
        select at
        from log_blocks_2
        where topic_id = h.topic_id and part = h.part and last >= own.next
        order by last
        limit 1
      )
    ) nearest
  ) oldest on true
where h.topic_id = $2 and h.next > own.next
order by "ageMs" desc, h.part
