-- part: found-webhook(w, e)
w.id, w.endpoint_id, e.url, w.event_id, w.type, w.data ->> 'campaignId' as campaign_id, w.state,
w.occurred_at

-- name: find-webhook-delivery
select -- include: found-webhook(w, e)
from webhook_deliveries w join webhook_endpoints e on e.id = w.endpoint_id
where w.application_id = $1 and w.id = $2

-- name: find-webhook-event
-- No index has the ids of events: the newest deliveries of each endpoint are read.
with scan as (
  select e.id, e.url,
    exists (select from webhook_deliveries where endpoint_id = e.id offset $3) as is_cut
  from webhook_endpoints e
  where e.application_id = $1
)
select found.*, cut.is_cut
from (select coalesce(bool_or(is_cut), false) as is_cut from scan) as cut
  left join (
    select -- include: found-webhook(w, e)
    from scan e
      cross join lateral (
        select * from webhook_deliveries where endpoint_id = e.id order by id desc limit $3
      ) as w
    where w.event_id = $2
    order by w.id desc
    limit $4
  ) as found on true
order by found.id desc
