-- Of a table of blocks, by partition, the offset after its last record, and whether that is older
-- than the topic's retention.
select
  b.topic_id as "topicId",
  b.part,
  max(b.last) + 1 as "end",
  max(b.at) < clock_timestamp() - min(t.retention_ms) * interval '1 ms' as "isExpired"
from log_blocks_0 b
join log_topics t on t.id = b.topic_id
group by
  b.topic_id,
  b.part
