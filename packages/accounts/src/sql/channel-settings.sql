-- part: account-columns(a)
a.settings, a.sealed_secrets, a.status, a.share, a.countries,
floor(extract(epoch from a.tested_at) * 1000)::float8 as tested_at

-- name: read-channel-settings
select s.application_id, s.channel, s.version, s.account_name as name,
  -- include: account-columns(s),
  coalesce(
    (
      select jsonb_agg(o order by o.position)
      from (
        select a.position, a.name,
          -- include: account-columns(a)
        from channel_accounts a
        where -- include: further-account(a, s)
      ) o
    ),
    '[]'
  ) as others
from channel_settings s
where s.application_id = $1 and s.channel = $2

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
union
select application_id
from channel_accounts
where channel = 'SMS' and settings @> $1::jsonb
order by application_id

-- name: list-channel-statuses
select s.channel,
  -- include: is-ready(s) as is_ready
from channel_settings s
where s.application_id = $1

-- name: list-sending-channels
select s.channel
from channel_settings s
  join applications a on a.id = s.application_id
where a.id = $1
  and -- include: channel-sends(s, a)

-- name: write-channel-settings
insert into channel_settings (
  application_id, channel, settings, sealed_secrets, status, tested_at, account_name, share,
  countries
)
values ($1, $2, $3::jsonb, $4, $5, $6, $7, $8, $9)
on conflict (application_id, channel) do update
set settings = excluded.settings, sealed_secrets = excluded.sealed_secrets,
  status = excluded.status, version = channel_settings.version + 1, updated_at = now(),
  tested_at = excluded.tested_at, account_name = excluded.account_name, share = excluded.share,
  countries = excluded.countries

-- name: delete-channel-accounts
delete from channel_accounts where application_id = $1 and channel = $2

-- name: insert-channel-account
insert into channel_accounts (
  application_id, channel, name, position, settings, sealed_secrets, status, tested_at, share,
  countries, version
)
select s.application_id, s.channel, $3, $4, $5::jsonb, $6, $7, $8, $9, $10, s.version
from channel_settings s
where s.application_id = $1 and s.channel = $2

-- name: mark-account-ready
-- The row of the channel first: a change of the settings locks it too.
with current as (
  select application_id, channel, account_name
  from channel_settings
  where application_id = $1 and channel = $2 and version = $3
  for update
),
first as (
  update channel_settings s
  set status = 'ready', tested_at = now()
  from current c
  where s.application_id = c.application_id
    and s.channel = c.channel
    and coalesce($4, c.account_name) = c.account_name
)
update channel_accounts a
set status = 'ready', tested_at = now()
from current c
where a.application_id = c.application_id and a.channel = c.channel and a.name = $4
