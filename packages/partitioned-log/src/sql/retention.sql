-- name: read-block-table
-- Whether the table in use is to be replaced. $1 bytes, $2 age in ms
select s.block_table as "blockTable",
  pg_relation_size(t.name) > 0
    and (
      pg_table_size(t.name) > $1 or s.rotated_at < clock_timestamp() - $2 * interval '1 ms'
    ) as "isDue"
from log_state s cross join lateral (select ('log_blocks_' || s.block_table)::regclass as name) t

-- name: raise-lows
-- $1 topics, $2 partitions, $3 the first offsets kept. Locks in the order of all.
with due as materialized (
  select h.topic_id, h.part, e.low
  from log_heads h
    join unnest($1::int[], $2::int[], $3::bigint[]) as e (topic_id, part, low)
      on e.topic_id = h.topic_id and e.part = h.part
  order by h.topic_id, h.part
  for no key update of h
)
update log_heads h
set low = greatest(h.low, due.low)
from due
where h.topic_id = due.topic_id and h.part = due.part

-- name: switch-block-table
update log_heads set block_table = $1

-- name: put-block-table
update log_state set block_table = $1, rotated_at = clock_timestamp()

-- name: read-log-bytes
select sum(pg_table_size(name::regclass))::float8 as bytes from unnest($1::text[]) as name

-- name: read-ends
-- Of a table of blocks, by partition, the offset after its last record, and whether that is older
-- than the topic's retention.
select b.topic_id as "topicId", b.part, max(b.last) + 1 as "end",
  max(b.at) < clock_timestamp() - min(t.retention_ms) * interval '1 ms' as "isExpired"
from log_blocks_0 b join log_topics t on t.id = b.topic_id
group by b.topic_id, b.part

-- name: read-slowest
-- By partition, the least committed offset of the groups that read it. $1 groups, $2 their topics
select h.topic_id as "topicId", h.part, min(coalesce(l.committed, 0)) as committed
from unnest($1::text[], $2::text[]) as g (grp, topic)
  join log_topics t on t.topic = g.topic
  join log_heads h on h.topic_id = t.id
  left join log_leases l on l.grp = g.grp and l.topic_id = h.topic_id and l.part = h.part
group by h.topic_id, h.part
