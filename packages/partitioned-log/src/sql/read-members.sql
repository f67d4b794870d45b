select
  g.generation,
  m.member,
  m.topic_ids as "topicIds"
from log_groups g
left join log_members m on m.grp = g.grp
where g.grp = $1
