-- $1 group, $2 member, $3 topics, $4 lease in ms
insert into log_members (grp, member, topic_ids, until)
values ($1, $2, $3, clock_timestamp() + $4 * interval '1 ms')
on conflict (grp, member) do update
  set
    until = excluded.until,
    topic_ids = excluded.topic_ids
