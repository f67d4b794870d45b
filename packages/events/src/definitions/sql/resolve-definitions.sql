-- name: find-definitions
with wanted as (
  select *
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as w(application_id, kind, slug, name)
)
select n.application_id, n.named_slug, n.name, n.is_by_slug, n.kind,
  coalesce(t.slug, n.named_slug) as slug, coalesce(t.discarded, n.discarded) as discarded
from (
  select application_id, slug as named_slug, d.kind, d.name, d.discarded, d.merged_into,
    true as is_by_slug
  from wanted w join definitions d using (application_id, slug)
  where d.deleted_at is null
  union all
  select application_id, d.slug, kind, name, d.discarded, d.merged_into, false
  from wanted w join definitions d using (application_id, kind, name)
  where d.deleted_at is null
) n
  left join definitions t on t.application_id = n.application_id and t.slug = n.merged_into
