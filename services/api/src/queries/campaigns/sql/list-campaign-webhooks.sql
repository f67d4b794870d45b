-- name: list-campaign-webhooks
-- All endpoints are scanned up to the smallest edge: beyond it the result would be incomplete.
with edges as (
  select e.id as endpoint_id, e.url,
    (
      select id
      from webhook_deliveries
      where endpoint_id = e.id and id > $3::uuid
      order by id
      offset $5
      limit 1
    ) as edge
  from webhook_endpoints e
  where e.application_id = $1
),
look as (
  select min(edge::text)::uuid as edge from edges
)
select found.*, look.edge
from look
  left join lateral (
    select w.id, e.endpoint_id, e.url, w.event_id, w.type, w.occurred_at,
      w.data ->> 'deliveryId' as delivery_id, w.data ->> 'customUserId' as custom_user_id, w.state,
      w.attempts, w.settled_at
    from edges e
      cross join lateral (
        select *
        from webhook_deliveries
        where endpoint_id = e.endpoint_id
          and id > $3::uuid
          and id <= coalesce(look.edge, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
          and data ->> 'campaignId' = $2
        order by id
        limit $4
      ) as w
    order by w.id
    limit $4
  ) as found on true
order by found.id
