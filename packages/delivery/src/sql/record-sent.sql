-- name: record-sent
with changed as (
  update deliveries d
  set state = 'sent', reason = null, bounce = null, owner = null, lease_until = null,
    updated_at = now(), next_at = now(), provider_id = coalesce(w.provider_id, d.provider_id),
    provider_code = coalesce(w.provider_code, d.provider_code),
    -- A provider message belongs to the code it came with.
    provider_message = coalesce(
      w.provider_message, case when w.provider_code is null then d.provider_message end
    ),
    sent_at = coalesce(d.sent_at, now())
  from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::int[]) as w(
    id, fence, provider_id, provider_code, provider_message, duration_ms
  )
  where d.id = w.id and d.fence = w.fence and d.state = any($7)
  returning d.id, d.campaign_id, d.account, d.state, d.channel, d.attempts as attempt,
    w.provider_id, w.provider_code, w.provider_message, w.duration_ms, w.fence,
    case when old.state = 'sending' then old.updated_at end as armed_at, old.state as old_state,
    old.reason as old_reason
),
deltas as (
  select campaign_id,
    -- include: state-group(old_state) as state,
    -- include: counted-reason(old_state, old_reason) as reason,
    -1 as n
  from changed
  union all
  select campaign_id, 'sent', '', 1
  from changed
),
counted as (
  -- include: count-deltas($8)
),
by_account as (
  -- include: count-accounts(changed, $8)
),
known as (
  insert into provider_ids (provider_id)
  select provider_id
  from changed
  where channel in -- include: polled-channels
    and provider_id is not null
  on conflict do nothing
),
logged as (
  insert into campaign_events (
    campaign_id, type, delivery_id, attempt, status, provider_code, response, fence, armed_at,
    outcome, duration_ms
  )
  select campaign_id, 'delivery.sent', id, attempt, 'sent', provider_code, provider_message, fence,
    armed_at, 'sent', duration_ms
  from changed
)
select id
from changed
