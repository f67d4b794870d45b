-- The event has what a mail server's refusal meant, as the entry that queued it. The trigger that
-- queues events is one of a version before, which knows no bounces.
with recursive
  waiting(endpoint_id) as (
    (
      select endpoint_id
      from webhook_deliveries
      where state = 'pending'
      order by
        endpoint_id,
        next_at
      limit 1
    )
    union all
    select
      (
        select d.endpoint_id
        from webhook_deliveries d
        where
          d.state = 'pending'
          and d.endpoint_id > w.endpoint_id
        order by
          d.endpoint_id,
          d.next_at
        limit 1
      )
    from waiting w
    where w.endpoint_id is not null
  ),
  due as (
    select
      d.id,
      e.url,
      e.sealed_secrets,
      e.previous_secret_until
    from
      waiting w
      join webhook_endpoints e on e.id = w.endpoint_id
        and e.status = 'enabled'
      left join unnest($3::uuid[], $4::int[]) as r(endpoint_id, rows) on r.endpoint_id = e.id
      cross join lateral (
        select
          id,
          next_at
        from webhook_deliveries
        where
          endpoint_id = e.id
          and state = 'pending'
          and next_at <= now()
        order by next_at
        limit coalesce(r.rows, $5)
        for update skip locked
      ) d
    where
      e.id <> all($2::uuid[])
      and (
        $1::uuid[] is null
        or e.id = any($1::uuid[])
      )
    order by d.next_at
    limit $6
  )
update webhook_deliveries d
set
  fence = d.fence + 1,
  lease_until = now() + $7::float8 * interval '1 ms',
  next_at = now() + $7::float8 * interval '1 ms',
  written_at = now(),
  data = case
    when d.type in ('message.failed', 'message.bounced') then d.data || coalesce(
      (
        select jsonb_build_object('bounce', e.bounce)
        from campaign_events e
        where
          e.delivery_id = (d.data ->> 'deliveryId')::uuid
          and e.detail is not null
          and e.at = d.occurred_at
          and e.type = 'delivery.' || substr(d.type, 9)
          and e.bounce is not null
        limit 1
      ),
      '{}'
    )
    else d.data
  end
from due
where d.id = due.id
returning
  d.id,
  d.fence,
  d.endpoint_id,
  d.application_id,
  due.url,
  due.sealed_secrets,
  d.event_id,
  d.type,
  d.occurred_at,
  d.data,
  d.attempts,
  coalesce(due.previous_secret_until > now(), false) as is_rotating
