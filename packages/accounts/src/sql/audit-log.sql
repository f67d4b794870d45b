-- name: open-audit-entry
insert into audit_entries (
  id, at, actor, member_id, token_id, address, application_id, action, target, detail, request_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb, $11)

-- name: close-audit-entry
update audit_entries
set status = $2, target = $3::jsonb
where id = $1 and status is null
