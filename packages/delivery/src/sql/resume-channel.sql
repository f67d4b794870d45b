with
  resumed as (
    delete from channel_pauses
    where
      application_id = $1
      and channel = $2
      and version <= $3
    returning
      application_id,
      channel
  )
insert into campaign_events (campaign_id, type)
select
  c.id,
  'channel.resumed'
from
  campaigns c
  join resumed r on r.application_id = c.application_id
    and r.channel = c.channel
where
  c.status = 'sending'
  and c.source <> 'test'
