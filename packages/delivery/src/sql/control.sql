-- name: lock-campaign-to-control
select -- include: shown-status(c) as status,
  c.source = 'test'
    or -- include: accounts/channel-sends(s, a) as is_ready,
  c.recipients_forgotten_at is not null as is_forgotten,
  -- include: takes-recipients(c) as is_open
from campaigns c
  join applications a on a.id = c.application_id
  left join channel_settings s on s.application_id = c.application_id and s.channel = c.channel
where c.id = $1 and c.application_id = $2
for no key update of c

-- name: pause-campaign
with moved as (update campaigns set status = 'paused' where id = $1 returning id)
insert into campaign_events (campaign_id, type, detail)
select id, 'campaign.paused', $2::text
from moved

-- name: resume-campaign
with moved as (update campaigns set status = 'sending' where id = $1 returning id)
insert into campaign_events (campaign_id, type, detail)
select id, 'campaign.resumed', $2::text
from moved

-- name: cancel-campaign
with moved as (update campaigns set status = 'canceled' where id = $1 returning id),
reopened as (
  -- include: reopened-chunks($1)
)
insert into campaign_events (campaign_id, type, detail)
select id, 'campaign.canceled', $2::text
from moved

-- name: retry-campaign
-- The campaign gets its original time to live again, from now.
with moved as (
  update campaigns
  set status = 'sending',
    expires_at = now() + (expires_at - coalesce(retried_at, greatest(created_at, send_at))),
    retried_at = now(), completed_at = null, p50_ms = null, p95_ms = null
  where id = $1
  returning id
)
insert into campaign_events (campaign_id, type, detail)
select id, 'campaign.retried', $2::text
from moved
