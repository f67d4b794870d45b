-- name: lock-application
select 1 from applications where id = $1 for update

-- name: create-webhook-endpoint
insert into webhook_endpoints (
  id, application_id, url, description, kinds, channels, sealed_secrets
)
select $1, $2, $3, $4, $5, $6, $7
where (select count(*) from webhook_endpoints where application_id = $2) < $8

-- name: change-webhook-endpoint
update webhook_endpoints
set url = coalesce($3, url), description = coalesce($4, description),
  kinds = coalesce($5::text[], kinds), channels = coalesce($6::text[], channels),
  failing_since = case when $7 or $3 <> url then null else failing_since end,
  status = case when $7 then 'enabled' when not $7 then 'disabled' else status end,
  disabled_reason = case
    when $7 then null
    when not $7 and status = 'enabled' then 'by_hand'
    else disabled_reason
  end,
  disabled_at = case
    when $7 then null
    when not $7 and status = 'enabled' then now()
    else disabled_at
  end,
  updated_at = now()
where id = $2 and application_id = $1

-- name: lock-webhook-secrets
select sealed_secrets as encrypted
from webhook_endpoints
where id = $2 and application_id = $1
for update

-- name: rotate-webhook-secret
update webhook_endpoints
set sealed_secrets = $2, updated_at = now(),
  previous_secret_until = case when $3 then now() + $4::float8 * interval '1 hour' end
where id = $1
