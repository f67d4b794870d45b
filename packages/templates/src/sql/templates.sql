-- part: template-columns(t, s)
t.slug, t.name, t.channel, coalesce(s.content, t.content)::text as content, t.version, s.blocks,
t.created_at, t.updated_at, t.updated_by

-- part: written-as(s, t)
-- What was written, of a version that names blocks.
left join template_sources s on s.application_id = t.application_id
  and s.slug = t.slug
  and s.version = t.version

-- name: read-templates
select -- include: template-columns(t, s)
from templates t -- include: written-as(s, t)
where t.application_id = $1 and t.slug > $2 and t.archived_at is null
order by t.slug
limit $3

-- name: read-template
select -- include: template-columns(t, s)
from templates t -- include: written-as(s, t)
where t.application_id = $1 and t.slug = $2 and t.archived_at is null

-- name: lock-templates
select pg_advisory_xact_lock(hashtextextended('templates of ' || $1::text, 0))

-- name: find-equal-source
-- A template that says what a version said, apart from what their blocks say.
select t.slug
from templates t -- include: written-as(s, t)
  join template_versions v on v.application_id = t.application_id
    and v.slug = t.slug
    and v.version = $3
    and v.name = t.name
  left join template_sources vs on vs.application_id = v.application_id
    and vs.slug = v.slug
    and vs.version = v.version
where t.application_id = $1
  and t.slug = $2
  and t.archived_at is null
  and coalesce(vs.content, v.content) = coalesce(s.content, t.content)

-- name: write-template
-- Equal content writes nothing, unless the template is archived.
with before as (
  select s.content, s.blocks
  from templates t join template_sources s on s.application_id = t.application_id
    and s.slug = t.slug
    and s.version = t.version
  where t.application_id = $1 and t.slug = $2
), written as (
  insert into templates as t (application_id, slug, name, channel, content, version, updated_by)
  values ($1, $2, $3, $4, $5::jsonb, 1, $6)
  on conflict (application_id, slug) do update
  set name = excluded.name, channel = excluded.channel, content = excluded.content,
    version = t.version + 1, updated_at = now(), updated_by = excluded.updated_by,
    archived_at = null
  where t.name <> excluded.name
    or t.channel <> excluded.channel
    or t.content <> excluded.content
    or t.archived_at is not null
    or (select content from before) is distinct from $7::jsonb
    or coalesce((select blocks from before), '{}') <> $8::jsonb
  returning t.application_id, t.slug, t.version, t.name, t.channel, t.content, t.updated_by
), sources as (
  insert into template_sources (application_id, slug, version, content, blocks)
  select application_id, slug, version, $7::jsonb, $8::jsonb
  from written
  where $7::jsonb is not null
)
insert into template_versions (application_id, slug, version, name, channel, content, created_by)
select application_id, slug, version, name, channel, content, updated_by
from written

-- name: count-templates
select count(*)::int as count from templates t where t.application_id = $1 and t.archived_at is null

-- name: list-template-versions
select v.version, v.name, v.channel, coalesce(s.content, v.content)::text as content, s.blocks,
  v.created_at, v.created_by
from template_versions v -- include: written-as(s, v)
where v.application_id = $1 and v.slug = $2 and v.version < $3
order by v.version desc
limit $4

-- name: read-automations-with-templates
-- Drafts, and versions that people enter or are in.
select a.slug, a.draft as definition
from automations a
where a.application_id = $1 and a.archived_at is null
union all
select a.slug, v.definition
from automations a join automation_versions v on v.automation_id = a.id
where a.application_id = $1
  and a.archived_at is null
  and -- include: segments/is-in-use(v, a)
order by slug

-- name: archive-template
update templates
set archived_at = now(), updated_at = now(), updated_by = $3
where application_id = $1 and slug = $2 and archived_at is null
returning slug

-- name: read-template-versions
-- The version named, else the current one. Of an archived template there is none.
select a.no::int, v.version, v.channel, v.content::text as content
from unnest($2::text[], $3::int[]) with ordinality as a(slug, version, no)
  join templates t on t.application_id = $1 and t.slug = a.slug and t.archived_at is null
  join template_versions v on v.application_id = t.application_id
    and v.slug = t.slug
    and v.version = coalesce(a.version, t.version)
