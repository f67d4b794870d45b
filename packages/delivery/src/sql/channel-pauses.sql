-- part: waits-for-settings(d)
-- The provider rejected the credentials or the account.
(d.state = 'retry_wait' and d.reason in ('provider_auth', 'provider_rejected'))

-- part: may-be-due-at-once(d)
-- Rows that wait for quiet hours or a cap keep their time.
coalesce(d.reason, '') not in ('quiet_hours', 'frequency_capped', 'spend_cap')

-- name: pause-channel
with paused as (
  insert into channel_pauses (
    application_id, channel, version, reason, provider_code, provider_message
  )
  select s.application_id, s.channel, s.version, $4, $5, $6
  from channel_settings s
  where s.application_id = $1 and s.channel = $2 and s.version = $3
  on conflict (application_id, channel) do update
  set version = excluded.version, reason = excluded.reason, provider_code = excluded.provider_code,
    provider_message = excluded.provider_message, paused_at = now()
  where channel_pauses.version <> excluded.version
  returning application_id, channel
),
logged as (
  insert into campaign_events (campaign_id, type, reason, provider_code, detail)
  select c.id, 'channel.paused', $4, $5, $6
  from campaigns c join paused p on p.application_id = c.application_id and p.channel = c.channel
  where c.status = 'sending' and c.source <> 'test'
)
select true as is_paused
from paused

-- name: resume-channel
with resumed as (
  delete from channel_pauses
  where application_id = $1 and channel = $2 and version <= $3
  returning application_id, channel
)
insert into campaign_events (campaign_id, type)
select c.id, 'channel.resumed'
from campaigns c join resumed r on r.application_id = c.application_id and r.channel = c.channel
where c.status = 'sending' and c.source <> 'test'

-- name: read-chunks-of-channel
select k.campaign_id, k.chunk_no
from campaigns c join campaign_chunks k on k.campaign_id = c.id
where c.application_id = $1 and c.channel = $2 and c.status = 'sending' and k.due_at is not null

-- name: make-deliveries-due
-- Rows that wait for quiet hours or a cap keep their time. So do those that wait for the local time
-- of their recipient: they were never claimed.
with waiting as (
  select d.id
  from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
    join deliveries d on d.campaign_id = x.campaign_id and d.chunk_no = x.chunk_no
  where d.next_at > now()
    and (
      -- include: waits-for-settings(d)
      or (
        d.state = 'pending'
        and -- include: may-be-due-at-once(d)
        and (
          d.fence > 0
          or not exists (
            select from campaigns c where c.id = d.campaign_id and c.send_at_local is not null
          )
        )
      )
    )
  order by d.id
  for update of d
)
update deliveries d
set next_at = now(), updated_at = now()
from waiting w
where d.id = w.id

-- name: make-addresses-due
-- Rows that wait for quiet hours or a cap keep their time. None waits for a local time: addresses
-- are made after it.
with waiting as (
  select d.delivery_id, d.address_no
  from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
    join delivery_addresses d on d.campaign_id = x.campaign_id and d.chunk_no = x.chunk_no
  where d.next_at > now()
    and (
      -- include: waits-for-settings(d)
      or (
        d.state = 'pending'
        and -- include: may-be-due-at-once(d)
      )
    )
  order by d.delivery_id, d.address_no
  for update of d
)
update delivery_addresses d
set next_at = now(), updated_at = now()
from waiting w
where d.delivery_id = w.delivery_id and d.address_no = w.address_no

-- name: read-channel-pause
select reason, provider_code, provider_message, paused_at
from channel_pauses
where application_id = $1 and channel = $2 and version = $3
