-- name: read-existing
-- $1 shard
select e.automation_id, e.application_id, a.live_version as version,
  floor(extract(epoch from e.at) * 1000)::float8 as at, e.after_user
from automation_existing e join automations a on a.id = e.automation_id
where e.shard = $1 and a.status = 'active' and a.archived_at is null
order by e.at, e.automation_id
limit 10

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
