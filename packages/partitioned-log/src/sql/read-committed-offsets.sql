select
  l.part,
  l.committed
from log_leases l
join log_topics t on t.id = l.topic_id
where
  l.grp = $1
  and t.topic = $2
  and l.committed is not null
