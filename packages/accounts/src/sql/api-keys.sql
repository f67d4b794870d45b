-- name: insert-api-key
insert into api_keys (id, application_id, type, name, prefix, key_hash, allowed_origins)
select $1, $2, $3, $4, $5, $6, $7
where (select count(*) from api_keys where application_id = $2 and revoked_at is null) < $8
returning id, type, name, prefix, allowed_origins as "allowedOrigins", created_at as "createdAt",
  last_used_at as "lastUsedAt"

-- name: find-key-grant
select k.id as "keyId", k.name as "keyName", k.application_id as "applicationId", k.type,
  k.allowed_origins as "allowedOrigins", a.allow_list as "allowList", a.settings
from api_keys k
  join applications a on a.id = k.application_id
where k.key_hash = $1 and k.application_id = $2 and k.revoked_at is null

-- name: record-key-uses
update api_keys
set last_used_at = $2
where id in (
    select id
    from api_keys
    where id = any($1)
      and (last_used_at is null or last_used_at < $2::timestamptz - interval '30 seconds')
    for update skip locked
  )
