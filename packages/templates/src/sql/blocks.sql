-- part: uses-of-blocks(t, s)
-- Templates that name blocks, in the versions that are current.
templates t
  join template_sources s on s.application_id = t.application_id
    and s.slug = t.slug
    and s.version = t.version
    and t.archived_at is null

-- part: block-columns(b)
b.slug, b.name, b.content::text as content, b.version, b.created_at, b.updated_at, b.updated_by,
array(
  select t.slug
  from -- include: uses-of-blocks(t, s)
  where t.application_id = b.application_id and s.blocks ? b.slug
  order by t.slug
) as used_by

-- name: list-blocks
select -- include: block-columns(b)
from template_blocks b
where b.application_id = $1 and b.slug > $2 and b.archived_at is null
order by b.slug
limit $3

-- name: read-block
select -- include: block-columns(b)
from template_blocks b
where b.application_id = $1 and b.slug = $2 and b.archived_at is null

-- name: list-block-uses
select t.slug, t.version
from -- include: uses-of-blocks(t, s)
where t.application_id = $1 and s.blocks ? $2
order by t.slug

-- name: write-block
-- Equal content writes nothing, unless the block is archived.
with written as (
  insert into template_blocks as b (application_id, slug, name, content, version, updated_by)
  values ($1, $2, $3, $4::jsonb, 1, $5)
  on conflict (application_id, slug) do update
  set name = excluded.name, content = excluded.content, version = b.version + 1,
    updated_at = now(), updated_by = excluded.updated_by, archived_at = null
  where b.name <> excluded.name or b.content <> excluded.content or b.archived_at is not null
  returning b.application_id, b.slug, b.version, b.name, b.content, b.updated_by
)
insert into template_block_versions (application_id, slug, version, name, content, created_by)
select application_id, slug, version, name, content, updated_by
from written

-- name: count-blocks
select count(*)::int as count
from template_blocks b
where b.application_id = $1 and b.archived_at is null

-- name: list-block-versions
select v.version, v.name, v.content::text as content, v.created_at, v.created_by
from template_block_versions v
where v.application_id = $1 and v.slug = $2 and v.version < $3
order by v.version desc
limit $4

-- name: archive-block
update template_blocks
set archived_at = now(), updated_at = now(), updated_by = $3
where application_id = $1 and slug = $2 and archived_at is null
