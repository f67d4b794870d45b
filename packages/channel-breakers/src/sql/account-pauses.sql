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

-- name: has-account-left
-- Whether an account that may send is not paused. Those without a test send may where none has one.
with account as (
  select s.account_name as name, s.status = 'ready' as is_proved
  from channel_settings s
  where s.application_id = $1 and s.channel = $2 and s.version = $3
  union all
  select a.name, a.status = 'ready'
  from channel_accounts a
  where a.application_id = $1 and a.channel = $2 and a.version = $3
),
may_send as (
  select name
  from account
  where is_proved
    or not exists (select from account where is_proved)
    or exists (
      select from applications where id = $1 and (settings ->> 'sendUntested')::boolean
    )
)
select exists (
    select
    from may_send m
    where not exists (
        select
        from account_pauses p
        where p.application_id = $1 and p.channel = $2 and p.account = m.name and p.version = $3
      )
  ) as is_left

-- name: delete-account-pause-messages
update account_pauses p
set provider_message = null
where p.application_id = $1
  and exists (
    select
    from unnest($2::text[]) as a (address)
    where strpos(lower(p.provider_message), lower(a.address)) > 0
  )

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
