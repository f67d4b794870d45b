-- name: find-delivery-owner
select d.application_id, d.channel, c.traceparent
from deliveries d join campaigns c on c.id = d.campaign_id
where d.id = $1
