-- name: read-listens
-- $1 applications
select l.application_id, l.slug, d.merged_into
from automation_listens l
  left join definitions d on d.application_id = l.application_id and d.slug = l.slug
where l.application_id = any ($1::uuid[])

-- name: set-listens
-- $1 application, $2 names
with gone as (
  delete from automation_listens where application_id = $1 and slug <> all ($2::text[])
)
insert into automation_listens (application_id, slug)
select $1, name
from unnest($2::text[]) as name
on conflict (application_id, slug) do nothing
