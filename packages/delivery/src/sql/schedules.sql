-- name: release-scheduled
with due as (
  select id
  from campaigns
  where lane = 'scheduled' and status = 'queued' and send_at <= now()
  order by send_at
  limit $1
  for no key update skip locked
),
released as (
  update campaigns c
  set lane = case
    when c.audience is not null then 'snapshot'
    when c.send_at_local is not null then 'local'
    when c.winner is not null then 'trial'
    when c.recipients_unique <= $2::int
      and not exists (
        select 1 from campaign_chunks k where k.campaign_id = c.id and k.lane = 'bulk'
      ) then 'express'
    else 'bulk'
  end
  from due
  where c.id = due.id
  returning c.id, c.lane
),
logged as (
  insert into campaign_events (campaign_id, type) select id, 'campaign.queued' from released
)
select id, lane
from released
