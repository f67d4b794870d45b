-- name: ensure-topic
-- Creates a topic, or updates its settings. New partitions write to the blocks that all others
-- write to. One that a version before closed, which takes each topic for one of the bus, is opened.
-- $1 topic, $2 partitions, $3 retention in ms, $4 maximum bytes of a record
-- $5 whether the bus carries it
with own as (
  insert into log_topics as t (topic, partitions, retention_ms, record_bytes_max, is_bus)
  values ($1, $2, $3, $4, $5)
  on conflict (topic) do update
  set retention_ms = excluded.retention_ms, record_bytes_max = excluded.record_bytes_max,
    is_bus = excluded.is_bus
  returning t.id, t.partitions, t.is_bus
),
-- Waits for a rotation, which changes the table of all partitions that it sees.
state as (select block_table, closed from log_state for share)
insert into log_heads as h (topic_id, part, block_table, closed)
select own.id, part, state.block_table, own.is_bus and state.closed
from own cross join state cross join generate_series(0, own.partitions - 1) as part
on conflict (topic_id, part) do update
set closed = excluded.closed
where h.closed <> excluded.closed

-- name: read-topic
select id as "topicId", partitions, record_bytes_max as "recordBytesMax"
from log_topics
where topic = $1
