-- name: lock-applications
select 1 from applications where id = any($1) order by id for no key update

-- name: read-application-definitions
select application_id, kind, name, slug, discarded, merged_into,
  deleted_at is not null as is_deleted
from definitions
where application_id = any($1)

-- name: insert-definitions
insert into definitions (application_id, slug, kind, name, by_client_key, origin)
select w.*, $6
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::boolean[]) as w(
  application_id, slug, kind, name, by_client_key
)
on conflict (application_id, slug) do update
set deleted_at = null, discarded = false, by_client_key = excluded.by_client_key,
  origin = excluded.origin, created_at = now()
