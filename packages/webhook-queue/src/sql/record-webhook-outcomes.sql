-- `attempted_at` is updated only when it is older than 15 s: a busy endpoint must not cost an
-- update per attempt.
with
  wanted as (
    select *
    from
      jsonb_to_recordset($1::jsonb) as x(
        "deliveryId" uuid,
        fence int,
        outcome text,
        reason text,
        "delayMs" float8,
        attempt jsonb,
        answer text
      )
  ),
  held as (
    select d.id
    from
      webhook_deliveries d
      join wanted w on w."deliveryId" = d.id
        and w.fence = d.fence
    where d.state = 'pending'
    order by d.id
    for update of d
  ),
  recorded as (
    update webhook_deliveries d
    set
      state = case
        when w.outcome in ('succeeded', 'failed') then w.outcome
        else 'pending'
      end,
      reason = w.reason,
      lease_until = null,
      next_at = now() + coalesce(w."delayMs", 0) * interval '1 ms',
      written_at = now(),
      attempts = d.attempts + case
        when w.attempt is null then 0
        else 1
      end,
      attempt_log = case
        when w.attempt is null then d.attempt_log
        else d.attempt_log || w.attempt
      end,
      last_answer = coalesce(w.answer, d.last_answer),
      settled_at = case
        when w.outcome in ('succeeded', 'failed') then now()
      end
    from
      wanted w
      join held on held.id = w."deliveryId"
    where d.id = w."deliveryId"
    returning
      d.endpoint_id,
      w.outcome,
      w.reason
  ),
  judged as (
    select
      endpoint_id,
      bool_or(outcome = 'succeeded') as is_well,
      coalesce(bool_or(reason = 'gone'), false) as is_gone
    from recorded
    where outcome <> 'put_off'
    group by 1
  ),
  -- Usually nothing about the endpoint changes, and its row is not updated.
  to_change as (
    select
      e.id,
      e.failing_since,
      j.is_well,
      j.is_gone,
      j.is_gone
        or (
          not j.is_well
          and e.failing_since < now() - $2::float8 * interval '1 ms'
        ) as is_disabled
    from
      webhook_endpoints e
      join judged j on j.endpoint_id = e.id
    where
      e.status = 'enabled'
      and (
        j.is_gone
        or (
          j.is_well
          and e.failing_since is not null
        )
        or (
          not j.is_well
          and (
            e.failing_since is null
            or e.failing_since < now() - $2::float8 * interval '1 ms'
          )
        )
        or e.attempted_at is null
        or e.attempted_at < now() - interval '15 s'
      )
    order by e.id
    for update of e
  ),
  changed as (
    update webhook_endpoints e
    set
      failing_since = case
        when t.is_well then null
        else coalesce(t.failing_since, now())
      end,
      attempted_at = now(),
      status = case
        when t.is_disabled then 'disabled'
        else e.status
      end,
      disabled_reason = case
        when t.is_gone then 'gone'
        when t.is_disabled then 'failing'
      end,
      disabled_at = case
        when t.is_disabled then now()
      end
    from to_change t
    where t.id = e.id
    returning
      e.id,
      e.application_id,
      e.disabled_reason as reason
  )
select *
from changed
where reason is not null
