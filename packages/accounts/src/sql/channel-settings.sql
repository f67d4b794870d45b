-- name: read-channel-settings
select application_id as "applicationId", channel, settings, sealed_secrets as "sealedSecrets",
  status, version, updated_at as "updatedAt", tested_at as "testedAt"
from channel_settings
where application_id = $1 and channel = $2

-- name: read-settings-version
select version from channel_settings where application_id = $1 and channel = $2

-- name: read-vapid-public-key
select settings ->> 'publicKey' as public_key
from channel_settings
where application_id = $1 and channel = 'WEB_PUSH'

-- name: find-sms-settings-with
select application_id
from channel_settings
where channel = 'SMS' and settings @> $1::jsonb
order by application_id

-- name: list-sending-channels
select s.channel
from channel_settings s
  join applications a on a.id = s.application_id
where a.id = $1
  and -- include: channel-sends(s, a)

-- name: write-channel-settings
insert into channel_settings (application_id, channel, settings, sealed_secrets, status)
values ($1, $2, $3::jsonb, $4, 'untested')
on conflict (application_id, channel) do update
set settings = excluded.settings, sealed_secrets = excluded.sealed_secrets, status = 'untested',
  version = channel_settings.version + 1, updated_at = now(), tested_at = null
