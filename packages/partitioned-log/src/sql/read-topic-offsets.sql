select
  h.part,
  h.low,
  h.next as high
from log_heads h
join log_topics t on t.id = h.topic_id
where t.topic = $1
order by h.part
