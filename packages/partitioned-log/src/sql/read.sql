-- name: read-blocks
-- Blocks of a partition from an offset on: the first, and more up to a number of bytes before
-- compression.
-- $1 topic, $2 partition, $3 offset, $4 bytes
select last, n, body
from (
  select last, n, body, sum(bytes) over (order by last) - bytes as before
  from (
    select *
    from (
      (
        select last, n, bytes, body
        from log_blocks_0
        where topic_id = $1 and part = $2 and last >= $3
        order by last
        limit 200
      )
      union all (
        select last, n, bytes, body
        from log_blocks_1
        where topic_id = $1 and part = $2 and last >= $3
        order by last
        limit 200
      )
      union all (
        select last, n, bytes, body
        from log_blocks_2
        where topic_id = $1 and part = $2 and last >= $3
        order by last
        limit 200
      )
    ) every
    order by last
    limit 200
  ) nearest
) counted
where before < $4
order by last
