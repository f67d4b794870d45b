-- The version named, else the current one. Of an archived template there is none.
select
  a.no::int,
  v.version,
  v.channel,
  v.content::text as content
from
  unnest($2::text[], $3::int[]) with ordinality as a(slug, version, no)
  join templates t on t.application_id = $1
    and t.slug = a.slug
    and t.archived_at is null
  join template_versions v on v.application_id = t.application_id
    and v.slug = t.slug
    and v.version = coalesce(a.version, t.version)
