-- Whether the table in use is to be replaced. $1 bytes, $2 age in ms
select
  s.block_table as "blockTable",
  pg_relation_size(t.name) > 0
    and (
      pg_table_size(t.name) > $1
      or s.rotated_at < clock_timestamp() - $2 * interval '1 ms'
    ) as "isDue"
from log_state s
cross join lateral (select ('log_blocks_' || s.block_table)::regclass as name) t
