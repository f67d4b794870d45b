select
  v.version,
  v.name,
  v.channel,
  v.content::text as content,
  v.created_at,
  v.created_by
from template_versions v
where
  v.application_id = $1
  and v.slug = $2
  and v.version < $3
order by v.version desc
limit $4
