-- name: read-heard-outcomes
-- A success state implies those before it: an open may be known before the delivery.
select d.id, d.campaign_id, d.user_id, d.state
from deliveries d
  join campaigns c on c.id = d.campaign_id
    and c.heard && (
      d.state
      || (array['sent', 'delivered', 'displayed', 'opened', 'clicked'])[
        :array_position(array['sent', 'delivered', 'displayed', 'opened', 'clicked'], d.state)
      ]
    )
where d.id = any($1::uuid[]) and d.user_id is not null
order by d.id

-- name: hear-campaign
-- $1 application, $2 campaign, $3 what is listened to
update campaigns c
set heard = array(select distinct x from unnest(c.heard || $3::text[]) as x)
where c.id = $2 and c.application_id = $1 and not c.heard @> $3::text[]
