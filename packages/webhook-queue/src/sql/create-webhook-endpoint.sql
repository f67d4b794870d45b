insert into
  webhook_endpoints (id, application_id, url, description, kinds, channels, sealed_secrets)
select
  $1,
  $2,
  $3,
  $4,
  $5,
  $6,
  $7
where
  (
    select count(*)
    from webhook_endpoints
    where application_id = $2
  ) < $8
