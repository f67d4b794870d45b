-- name: lock-campaign-to-change
select -- include: shown-status(c) as status,
  c.send_at, c.send_at_local, c.expires_at
from campaigns c
where c.id = $1 and c.application_id = $2
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

-- name: name-campaign
update campaigns c
set name = x.name, tags = x.tags,
  search_text =
    -- include: search-text-of(x.name, x.tags, c.message, c.templates)
from (
  select id, case when $2 then $3 else name end as name,
    case when $4 then array(select jsonb_array_elements_text($5::jsonb)) else tags end as tags
  from campaigns
  where id = $1
) as x
where c.id = x.id
