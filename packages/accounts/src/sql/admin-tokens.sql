-- name: find-admin-token
select id, name, last_used_at from admin_tokens where token_hash = $1 and revoked_at is null

-- name: record-admin-token-use
update admin_tokens
set last_used_at = $2
where id = $1
