-- name: renew-member
-- $1 group, $2 member, $3 lease in ms
with own as (
  update log_members
  set until = clock_timestamp() + $3 * interval '1 ms'
  where grp = $1 and member = $2
  returning member
)
select g.generation, exists (select from own) as "isMember",
  exists (
    select from log_members m where m.grp = $1 and m.member <> $2 and m.until < clock_timestamp()
  ) as "isAnyDead",
  (select count(*)::int from log_leases l where l.grp = $1 and l.owner = $2) as leases
from log_groups g
where g.grp = $1

-- name: commit-offset
-- Not durable at once: a record whose commit is lost is read again.
-- $1 group, $2 topic, $3 partition, $4 member, $5 fence, $6 offset of the next record
with setting as materialized (select set_config('synchronous_commit', 'off', true))
update log_leases l
set committed = greatest(coalesce(l.committed, 0), $6)
from setting
where l.grp = $1
  and l.topic_id = $2
  and l.part = $3
  and l.owner = $4
  and l.fence = $5
  and exists (select from log_members m where m.grp = $1 and m.member = $4)

-- name: create-group
insert into log_groups (grp) values ($1) on conflict (grp) do nothing

-- name: create-leases
-- $1 group, $2 topics
insert into log_leases (grp, topic_id, part)
select $1, h.topic_id, h.part
from log_heads h
where h.topic_id = any ($2::int[])
on conflict (grp, topic_id, part) do nothing

-- name: remove-dead-members
-- $1 group, $2 the member that asks
delete from log_members
where grp = $1 and member <> $2 and until < clock_timestamp()

-- name: give-back-old-leases
-- Leases of a membership that was lost: nothing can be committed by them, also after the member has
-- joined again.
-- $1 group, $2 member
update log_leases
set owner = null
where grp = $1
  and owner = $2
  and not exists (select from log_members m where m.grp = $1 and m.member = $2)

-- name: put-member
-- $1 group, $2 member, $3 topics, $4 lease in ms
insert into log_members (grp, member, topic_ids, until)
values ($1, $2, $3, clock_timestamp() + $4 * interval '1 ms')
on conflict (grp, member) do update
set until = excluded.until, topic_ids = excluded.topic_ids

-- name: give-back-leases
-- $1 group, $2 member
with released as (update log_leases set owner = null where grp = $1 and owner = $2 returning part)
select pg_notify('tidings_log', 'group/' || $1)::text as notified
from released
limit 1

-- name: remove-member
delete from log_members where grp = $1 and member = $2

-- name: read-members
select g.generation, m.member, m.topic_ids as "topicIds"
from log_groups g left join log_members m on m.grp = g.grp
where g.grp = $1

-- name: claim-leases
-- Under the lock of the group.
-- $1 group, $2 member, $3 topics and $4 partitions of its shares, $5 rebalance timeout in ms
update log_leases l
set owner = $2, fence = l.fence + 1
from unnest($3::int[], $4::int[]) as share (topic_id, part) cross join log_groups g
where l.grp = $1
  and g.grp = $1
  and l.topic_id = share.topic_id
  and l.part = share.part
  and (
    l.owner is null
    or not exists (select from log_members m where m.grp = $1 and m.member = l.owner)
    or (l.owner <> $2 and g.changed_at < clock_timestamp() - $5 * interval '1 ms')
  )
returning l.topic_id as "topicId", l.part, l.fence, l.committed

-- name: lock-group
select generation from log_groups where grp = $1 for no key update

-- name: advance-group
-- A new generation: all members compute their shares again.
with changed as (
  update log_groups
  set generation = generation + 1, changed_at = clock_timestamp()
  where grp = $1
  returning generation
)
select generation, pg_notify('tidings_log', 'group/' || $1)::text as notified
from changed
