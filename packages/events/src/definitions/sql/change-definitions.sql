-- name: lock-definition-to-change
select d.merged_into, d.discarded, d.by_client_key, o.slug is not null as is_name_taken,
  o.deleted_at is not null as is_of_deleted
from definitions d
  left join definitions o on o.application_id = $1
    and o.kind = d.kind
    and o.name = $3
    and o.slug <> $2
where d.application_id = $1 and d.slug = $2 and d.deleted_at is null

-- name: change-definition
update definitions
set name = coalesce($3, name), discarded = coalesce($4, discarded)
where application_id = $1 and slug = $2

-- name: lock-definitions-to-merge
select slug, kind, merged_into, discarded
from definitions
where application_id = $1 and slug = any($2) and deleted_at is null

-- name: merge-definition
update definitions
set merged_into = $3
where application_id = $1 and (slug = $2 or merged_into = $2)
