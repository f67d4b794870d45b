-- name: write-user-token-secrets
insert into user_token_secrets (application_id, sealed_secrets, previous_secret_until)
values ($1, $2, case when $3 then now() + $4::float8 * interval '1 hour' end)
on conflict (application_id) do update
set sealed_secrets = excluded.sealed_secrets,
  previous_secret_until = excluded.previous_secret_until, updated_at = now()
returning previous_secret_until as until

-- name: read-user-token-secrets
select sealed_secrets as encrypted, coalesce(previous_secret_until > now(), false) as is_live
from user_token_secrets
where application_id = $1
