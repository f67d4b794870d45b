with
  paused as (
    insert into
      channel_pauses (application_id, channel, version, reason, provider_code, provider_message)
    select
      s.application_id,
      s.channel,
      s.version,
      $4,
      $5,
      $6
    from channel_settings s
    where
      s.application_id = $1
      and s.channel = $2
      and s.version = $3
    on conflict (application_id, channel) do update
    set
      version = excluded.version,
      reason = excluded.reason,
      provider_code = excluded.provider_code,
      provider_message = excluded.provider_message,
      paused_at = now()
    where channel_pauses.version <> excluded.version
    returning
      application_id,
      channel
  ),
  logged as (
    insert into campaign_events (campaign_id, type, reason, provider_code, detail)
    select
      c.id,
      'channel.paused',
      $4,
      $5,
      $6
    from
      campaigns c
      join paused p on p.application_id = c.application_id
        and p.channel = c.channel
    where
      c.status = 'sending'
      and c.source <> 'test'
  )
select true as is_paused
from paused
