select topic_id
from log_heads
order by
  topic_id,
  part
for no key update
