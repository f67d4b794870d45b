-- name: read-named-blocks
select b.slug, b.version, b.content ->> 'html' as html, b.content ->> 'text' as text
from template_blocks b
where b.application_id = $1 and b.slug = any($2::text[]) and b.archived_at is null

-- name: count-blocks-in-force
select count(*)::int as count
from unnest($2::text[], $3::int[]) as a(slug, version)
  join template_blocks b on b.application_id = $1
    and b.slug = a.slug
    and b.version = a.version
    and b.archived_at is null
