-- $1 topics, $2 partitions, $3 the first offsets kept. Locks in the order of all.
with due as materialized (
  select
    h.topic_id,
    h.part,
    e.low
  from log_heads h
  join unnest($1::int[], $2::int[], $3::bigint[]) as e (topic_id, part, low)
    on e.topic_id = h.topic_id and e.part = h.part
  order by
    h.topic_id,
    h.part
  for no key update of h
)
update log_heads h
set low = greatest(h.low, due.low)
from due
where
  h.topic_id = due.topic_id
  and h.part = due.part
