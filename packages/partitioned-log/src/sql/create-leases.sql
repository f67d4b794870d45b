-- $1 group, $2 topics
insert into log_leases (grp, topic_id, part)
select
  $1,
  h.topic_id,
  h.part
from log_heads h
where h.topic_id = any ($2::int[])
on conflict (grp, topic_id, part) do nothing
