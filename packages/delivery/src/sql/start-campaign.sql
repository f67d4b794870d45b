with
  started as (
    update campaigns
    set
      status = 'sending',
      started_at = now()
    where
      id = $1
      and status in ('queued')
    returning id
  ),
  log as (
    insert into campaign_events (campaign_id, type, detail)
    select
      id,
      'campaign.started',
      null::text
    from started
  )
select status
from campaigns
where
  id = $1
  and expanded_at is null
  and status in ('queued', 'sending')
