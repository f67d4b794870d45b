select
  t.slug,
  t.name,
  t.channel,
  t.content::text as content,
  t.version,
  t.created_at,
  t.updated_at,
  t.updated_by
from templates t
where
  t.application_id = $1
  and t.slug = $2
  and t.archived_at is null
