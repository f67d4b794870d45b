-- name: read-existing
-- One of each application first, by turns. $1 shard
select e.automation_id, e.application_id, a.live_version as version,
  floor(extract(epoch from e.at) * 1000)::float8 as at, e.after_user
from automation_existing e join automations a on a.id = e.automation_id
where e.shard = $1 and a.status = 'active' and a.archived_at is null
order by
  row_number() over (
    partition by e.application_id order by e.looked_at nulls first, e.at, e.automation_id
  ),
  max(e.looked_at) over (partition by e.application_id) nulls first,
  e.at, e.automation_id
limit 10

-- name: note-existing-looked
-- $1 shard, $2 automations
update automation_existing e
set looked_at = now()
where e.shard = $1 and e.automation_id = any($2::uuid[])

-- name: is-segment-built
-- $1 application, $2 segment, $3 shard
select b.is_built
from live_segments l
  join live_segment_builds b on b.application_id = l.application_id
    and b.slug = l.slug
    and b.build_id = l.build_id
where l.application_id = $1 and l.slug = $2 and b.shard = $3

-- name: note-existing-entered
-- $1 automation, $2 shard, $3 the last that entered (null: all did)
with gone as (
  delete from automation_existing e
  where e.automation_id = $1 and e.shard = $2 and $3::uuid is null
)
update automation_existing e
set after_user = $3
where e.automation_id = $1 and e.shard = $2 and $3::uuid is not null

-- name: read-shards-with-existing
select distinct e.shard
from automation_existing e join automations a on a.id = e.automation_id
where a.status = 'active'
