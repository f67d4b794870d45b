-- By partition, the least committed offset of the groups that read it. $1 groups, $2 their topics
select
  h.topic_id as "topicId",
  h.part,
  min(coalesce(l.committed, 0)) as committed
from unnest($1::text[], $2::text[]) as g (grp, topic)
join log_topics t on t.topic = g.topic
join log_heads h on h.topic_id = t.id
left join log_leases l
  on l.grp = g.grp and l.topic_id = h.topic_id and l.part = h.part
group by
  h.topic_id,
  h.part
