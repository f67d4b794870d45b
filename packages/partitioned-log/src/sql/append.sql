-- name: append-blocks
-- Appends one block to each partition. The rows of the partitions stay locked until the commit, so
-- offsets are dense and become visible in their order. If a partition is closed or missing, nothing
-- is written.
-- $1 topic, $2 partitions, $3 numbers of records, $4 bytes before compression, $5 bodies
with block as materialized (
  select * from unnest($2::int[], $3::int[], $4::int[], $5::bytea[]) as b (part, n, bytes, body)
),
head as materialized (
  select h.part, h.next, h.block_table, h.closed
  from log_heads h
  where h.topic_id = $1 and h.part = any ($2::int[])
  order by h.part
  for no key update
),
due as materialized (
  select head.part, head.next, head.block_table, block.n, block.bytes, block.body
  from head join block using (part)
  where (select count(*) filter (where not closed) from head) = cardinality($2::int[])
),
moved as (
  update log_heads h
  set next = due.next + due.n
  from due
  where h.topic_id = $1 and h.part = due.part
),
filled as (
  select $1::int as topic_id, part, next + n - 1 as last, n, bytes, clock_timestamp() as at, body,
    block_table
  from due
),
zero as (
  insert into log_blocks_0 (topic_id, part, last, n, bytes, at, body)
  select topic_id, part, last, n, bytes, at, body
  from filled
  where block_table = 0
),
one as (
  insert into log_blocks_1 (topic_id, part, last, n, bytes, at, body)
  select topic_id, part, last, n, bytes, at, body
  from filled
  where block_table = 1
),
two as (
  insert into log_blocks_2 (topic_id, part, last, n, bytes, at, body)
  select topic_id, part, last, n, bytes, at, body
  from filled
  where block_table = 2
)
-- At the commit, all listeners get "topic/partition/offset of the next record".
select head.part, head.next as base, not head.closed as "isOpen",
  pg_notify('tidings_log', concat_ws('/', $1::int, due.part, due.next + due.n))::text as notified
from head left join due on due.part = head.part
