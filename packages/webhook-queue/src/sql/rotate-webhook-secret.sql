update webhook_endpoints
set
  sealed_secrets = $2,
  updated_at = now(),
  previous_secret_until = case
    when $3 then now() + $4::float8 * interval '1 hour'
  end
where id = $1
