-- name: read-segments
select s.slug, s.name, s.condition, s.version, s.created_at, s.updated_at, s.updated_by, s.counted
from segments s
where s.application_id = $1 and s.archived_at is null
order by s.slug

-- name: read-conditions
select slug, condition from segments where application_id = $1 and archived_at is null

-- name: read-funnel-definitions
select slug, definition from funnels where application_id = $1 and archived_at is null

-- name: read-event-retention
select (a.settings ->> 'eventRetentionDays')::float8 as days from applications a where a.id = $1

-- name: lock-segments
select pg_advisory_xact_lock(hashtextextended('segments of ' || $1::text, 0))

-- name: write-segment
with written as (
  insert into segments as s (application_id, slug, name, condition, version, updated_by)
  values ($1, $2, $3, $4::jsonb, 1, $5)
  on conflict (application_id, slug) do update
  set name = excluded.name, condition = excluded.condition, version = s.version + 1,
    updated_at = now(), updated_by = excluded.updated_by, archived_at = null
  returning s.application_id, s.slug, s.version, s.name, s.condition, s.updated_by
)
insert into segment_versions (application_id, slug, version, name, condition, created_by)
select application_id, slug, version, name, condition, updated_by
from written

-- name: keep-segment-count
update segments
set counted = $4::jsonb || jsonb_build_object('version', $3::int)
where application_id = $1 and slug = $2 and version = $3 and archived_at is null

-- name: count-campaigns-of-segments
select c.segment, count(*)::int as campaigns
from (
  select c.audience ->> 'segment' as segment
  from campaigns c
  where c.application_id = $1 and c.automation_id is null
  order by c.id desc
  limit $2
) c
where c.segment is not null
group by c.segment

-- name: list-segment-versions
select v.version, v.name, v.condition, v.created_at, v.created_by
from segment_versions v
where v.application_id = $1 and v.slug = $2 and v.version < $3
order by v.version desc
limit $4

-- name: archive-segment
update segments
set archived_at = now(), updated_at = now(), updated_by = $3
where application_id = $1 and slug = $2 and archived_at is null
