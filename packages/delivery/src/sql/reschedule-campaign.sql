with
  moved as (
    update campaigns
    set
      send_at = to_timestamp($2::float8 / 1000),
      send_at_local = null,
      expires_at = to_timestamp($3::float8 / 1000)
    where id = $1
    returning id
  )
insert into campaign_events (campaign_id, type, detail)
select
  id,
  'campaign.rescheduled',
  $4::text
from moved
