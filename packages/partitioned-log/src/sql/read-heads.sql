select
  topic_id as "topicId",
  part,
  next
from log_heads
where topic_id = any ($1::int[])
