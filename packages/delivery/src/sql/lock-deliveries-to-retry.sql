-- Never resend what a provider accepted, gave an id, or may have accepted.
select
  d.id as "deliveryId",
  d.chunk_no,
  d.state,
  d.doubts,
  d.addressed_at is not null as is_addressed
from deliveries d
where
  d.campaign_id = $1
  and d.chunk_no = any($2)
  and d.state = 'failed'
  and d.sent_at is null
  and d.provider_id is null
  and d.doubts = 0
order by d.id
for update of d skip locked
