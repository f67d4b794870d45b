-- name: claim-webhooks
-- The event has what a mail server's refusal meant, as the entry that queued it. The trigger that
-- queues events is one of a version before, which knows no bounces.
with recursive -- include: endpoints-with-due-webhooks,
due as (
  select d.id, e.url, e.sealed_secrets, e.previous_secret_until
  from waiting w
    join webhook_endpoints e on e.id = w.endpoint_id and e.status = 'enabled'
    left join unnest($3::uuid[], $4::int[]) as r(endpoint_id, rows) on r.endpoint_id = e.id
    cross join lateral (
      select id, next_at
      from webhook_deliveries
      where endpoint_id = e.id and state = 'pending' and next_at <= now()
      order by next_at
      limit coalesce(r.rows, $5)
      for update skip locked
    ) d
  where e.id <> all($2::uuid[]) and ($1::uuid[] is null or e.id = any($1::uuid[]))
  order by d.next_at
  limit $6
)
update webhook_deliveries d
set fence = d.fence + 1, lease_until = now() + $7::float8 * interval '1 ms',
  next_at = now() + $7::float8 * interval '1 ms', written_at = now(),
  data = case
    when d.type in ('message.failed', 'message.bounced') then d.data || coalesce(
      (
        select jsonb_build_object('bounce', e.bounce)
        from campaign_events e
        where e.delivery_id = (d.data ->> 'deliveryId')::uuid
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
returning d.id, d.fence, d.endpoint_id, d.application_id, due.url, due.sealed_secrets, d.event_id,
  d.type, d.occurred_at, d.data, d.attempts,
  coalesce(due.previous_secret_until > now(), false) as is_rotating

-- name: record-webhook-outcomes
-- `attempted_at` is updated only when it is older than 15 s: a busy endpoint must not cost an
-- update per attempt.
with wanted as (
  select *
  from jsonb_to_recordset($1::jsonb) as x(
    "deliveryId" uuid, fence int, outcome text, reason text, "delayMs" float8, attempt jsonb,
    answer text
  )
),
held as (
  select d.id
  from webhook_deliveries d join wanted w on w."deliveryId" = d.id and w.fence = d.fence
  where d.state = 'pending'
  order by d.id
  for update of d
),
recorded as (
  update webhook_deliveries d
  set state = case when w.outcome in ('succeeded', 'failed') then w.outcome else 'pending' end,
    reason = w.reason, lease_until = null,
    next_at = now() + coalesce(w."delayMs", 0) * interval '1 ms', written_at = now(),
    attempts = d.attempts + case when w.attempt is null then 0 else 1 end,
    attempt_log = case
      when w.attempt is null then d.attempt_log
      else d.attempt_log || w.attempt
    end,
    last_answer = coalesce(w.answer, d.last_answer),
    settled_at = case when w.outcome in ('succeeded', 'failed') then now() end
  from wanted w join held on held.id = w."deliveryId"
  where d.id = w."deliveryId"
  returning d.endpoint_id, w.outcome, w.reason
),
judged as (
  select endpoint_id, bool_or(outcome = 'succeeded') as is_well,
    coalesce(bool_or(reason = 'gone'), false) as is_gone
  from recorded
  where outcome <> 'put_off'
  group by 1
),
-- Usually nothing about the endpoint changes, and its row is not updated.
to_change as (
  select e.id, e.failing_since, j.is_well, j.is_gone,
    j.is_gone
      or (not j.is_well and e.failing_since < now() - $2::float8 * interval '1 ms') as is_disabled
  from webhook_endpoints e join judged j on j.endpoint_id = e.id
  where e.status = 'enabled'
    and (
      j.is_gone
      or (j.is_well and e.failing_since is not null)
      or (
        not j.is_well
        and (e.failing_since is null or e.failing_since < now() - $2::float8 * interval '1 ms')
      )
      or e.attempted_at is null
      or e.attempted_at < now() - interval '15 s'
    )
  order by e.id
  for update of e
),
changed as (
  update webhook_endpoints e
  set failing_since = case when t.is_well then null else coalesce(t.failing_since, now()) end,
    attempted_at = now(), status = case when t.is_disabled then 'disabled' else e.status end,
    disabled_reason = case when t.is_gone then 'gone' when t.is_disabled then 'failing' end,
    disabled_at = case when t.is_disabled then now() end
  from to_change t
  where t.id = e.id
  returning e.id, e.application_id, e.disabled_reason as reason
)
select *
from changed
where reason is not null

-- name: fail-webhooks-to-disabled
with recursive -- include: endpoints-with-due-webhooks,
orphans as (
  select d.id
  from waiting w
    left join webhook_endpoints e on e.id = w.endpoint_id
    cross join lateral (
      select id
      from webhook_deliveries
      where endpoint_id = w.endpoint_id
        and state = 'pending'
        and (lease_until is null or lease_until < now())
      order by next_at
      limit $1
      for update skip locked
    ) d
  where w.endpoint_id is not null and (e.id is null or e.status = 'disabled')
  limit $1
)
update webhook_deliveries d
set state = 'failed', reason = 'endpoint_disabled', settled_at = now(), lease_until = null
from orphans
where d.id = orphans.id

-- name: reschedule-webhooks-written-ahead
with ahead as (
  select id
  from webhook_deliveries
  where state = 'pending'
    and -- include: postgres/written-ahead(written_at)
  order by written_at
  limit $1
  for update skip locked
)
update webhook_deliveries d
set next_at = now() + coalesce(d.lease_until - d.written_at, interval '0'),
  lease_until = case
    when d.lease_until is not null then now() + coalesce(d.lease_until - d.written_at, interval '0')
  end,
  written_at = now()
from ahead
where d.id = ahead.id
