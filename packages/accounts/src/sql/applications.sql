-- name: read-application
select id, name, settings, created_at as "createdAt" from applications where id = $1

-- name: lock-application-to-issue
select 1 from applications where id = $1 for update

-- name: lock-application-settings
select settings from applications where id = $1 for no key update

-- name: change-application
update applications
set name = coalesce($2, name), settings = $3::jsonb
where id = $1
