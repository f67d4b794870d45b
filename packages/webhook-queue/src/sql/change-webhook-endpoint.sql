update webhook_endpoints
set
  url = coalesce($3, url),
  description = coalesce($4, description),
  kinds = coalesce($5::text[], kinds),
  channels = coalesce($6::text[], channels),
  failing_since = case
    when $7
      or $3 <> url then null
    else failing_since
  end,
  status = case
    when $7 then 'enabled'
    when not $7 then 'disabled'
    else status
  end,
  disabled_reason = case
    when $7 then null
    when not $7
      and status = 'enabled' then 'by_hand'
    else disabled_reason
  end,
  disabled_at = case
    when $7 then null
    when not $7
      and status = 'enabled' then now()
    else disabled_at
  end,
  updated_at = now()
where
  id = $2
  and application_id = $1
