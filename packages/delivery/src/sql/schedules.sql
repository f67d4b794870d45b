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

-- name: lock-campaign-to-reschedule
select case
    when lane = 'scheduled' and status = 'queued' then 'scheduled'
    else status
  end as status,
  send_at, send_at_local, expires_at
from campaigns
where id = $1 and application_id = $2
for no key update

-- name: reschedule-campaign
with moved as (
  update campaigns
  set send_at = to_timestamp($2::float8 / 1000), send_at_local = $5,
    expires_at = to_timestamp($3::float8 / 1000)
  where id = $1
  returning id
),
-- With a local time its recipients are of many instants.
slow as (
  update campaign_chunks
  set lane = 'bulk'
  where campaign_id = $1 and $5::text is not null
)
insert into campaign_events (campaign_id, type, detail)
select id, 'campaign.rescheduled', $4::text
from moved
