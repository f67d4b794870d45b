-- Equal content writes nothing, unless the template is archived.
with
  written as (
    insert into templates as t (
      application_id,
      slug,
      name,
      channel,
      content,
      version,
      updated_by
    )
    values
      ($1, $2, $3, $4, $5::jsonb, 1, $6)
    on conflict (application_id, slug) do update
    set
      name = excluded.name,
      channel = excluded.channel,
      content = excluded.content,
      version = t.version + 1,
      updated_at = now(),
      updated_by = excluded.updated_by,
      archived_at = null
    where
      t.name <> excluded.name
      or t.channel <> excluded.channel
      or t.content <> excluded.content
      or t.archived_at is not null
    returning
      t.application_id,
      t.slug,
      t.version,
      t.name,
      t.channel,
      t.content,
      t.updated_by
  )
insert into template_versions (
  application_id,
  slug,
  version,
  name,
  channel,
  content,
  created_by
)
select
  application_id,
  slug,
  version,
  name,
  channel,
  content,
  updated_by
from written
