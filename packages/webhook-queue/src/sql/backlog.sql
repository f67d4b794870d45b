-- name: read-longest-wait
with recursive -- include: endpoints-with-due-webhooks
select coalesce(
  max(extract(epoch from now() - greatest(d.next_at, e.attempted_at))), 0
)::float8 as seconds
from waiting w
  join webhook_endpoints e on e.id = w.endpoint_id and e.status = 'enabled'
  cross join lateral (
    select next_at
    from webhook_deliveries
    where endpoint_id = e.id and state = 'pending' and next_at <= now()
    order by next_at
    limit 1
  ) d

-- name: list-lagging-endpoints
with recursive -- include: endpoints-with-due-webhooks
select e.application_id as "applicationId", e.id as "endpointId",
  extract(epoch from now() - b.since)::float8 as seconds
from waiting w
  join webhook_endpoints e on e.id = w.endpoint_id and e.status = 'enabled'
  left join lateral (
    select next_at
    from webhook_deliveries
    where endpoint_id = e.id and state = 'pending' and next_at <= now()
    order by next_at
    limit 1
  ) d on true
  cross join lateral (select least(d.next_at, e.failing_since) as since) b
where b.since < now() - $1::float8 * interval '1 s'
order by b.since, e.id
limit $2
