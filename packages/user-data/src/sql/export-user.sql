-- name: list-deliveries-to-export
select d.id, d.campaign_id, d.channel, d.state, d.reason, d.attempts, d.created_at, d.sent_at,
  x.filled_in, y.run_id, y.entered_at, y.event::text as event
from campaigns c
  join deliveries d on d.campaign_id = c.id and d.custom_user_id = $2
  left join delivery_data x on x.campaign_id = d.campaign_id and x.delivery_id = d.id
  left join delivery_contexts y on y.campaign_id = d.campaign_id and y.delivery_id = d.id
where c.application_id = $1 and c.source <> 'test' and ($3::uuid is null or c.id > $3::uuid)
order by c.id
limit $4
