-- name: read-heads
select topic_id as "topicId", part, next from log_heads where topic_id = any ($1::int[])

-- name: read-committed-offsets
select l.part, l.committed
from log_leases l join log_topics t on t.id = l.topic_id
where l.grp = $1 and t.topic = $2 and l.committed is not null

-- name: read-topic-offsets
select h.part, h.low, h.next as high
from log_heads h join log_topics t on t.id = h.topic_id
where t.topic = $1
order by h.part
