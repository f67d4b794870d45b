-- name: pause-account
-- The row of the settings is locked: of two accounts that are paused at once, the second one sees
-- the first.
with current as (
  select application_id, channel, version
  from channel_settings
  where application_id = $1 and channel = $2 and version = $4
  for no key update
)
insert into account_pauses (
  application_id, channel, account, version, reason, provider_code, provider_message
)
select application_id, channel, $3, version, $5, $6, $7
from current
on conflict (application_id, channel, account) do update
set version = excluded.version, reason = excluded.reason, provider_code = excluded.provider_code,
  provider_message = excluded.provider_message, paused_at = now()
where account_pauses.version <> excluded.version
returning true as is_paused

-- name: read-account-pauses
select account, reason, provider_code, provider_message, paused_at
from account_pauses
where application_id = $1 and channel = $2 and version = $3

-- name: resume-accounts
delete from account_pauses
where application_id = $1
  and channel = $2
  and version <= $3
  and ($4::text is null or account = $4)
