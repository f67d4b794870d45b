select
  id as "topicId",
  partitions,
  record_bytes_max as "recordBytesMax"
from log_topics
where topic = $1
