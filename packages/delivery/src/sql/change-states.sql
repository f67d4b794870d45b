-- part: time-reached(name, column, w, d)
-- Of a state that has a time of its own.
case
  when w.state = name then coalesce(
    d.column,
    -- include: outcome-time(w, d)
  )
  else d.column
end

-- part: deltas-of(changed)
-- A row left one state and entered another.
select campaign_id,
  -- include: state-group(old_state) as state,
  -- include: counted-reason(old_state, old_reason) as reason,
  -1 as n
from changed
union all
select campaign_id,
  -- include: state-group(state),
  -- include: counted-reason(state, reason),
  1
from changed

-- part: changed-deliveries
changed as (
  update deliveries d
  set state = w.state, reason = w.reason, bounce = w.bounce, owner = null, lease_until = null,
    updated_at = now(), next_at = now() + coalesce(w."delayMs", 0) * interval '1 ms',
    fence = d.fence + case when w."isFresh" then 1 else 0 end,
    attempts = case
      when w."isFresh" then 0
      else d.attempts - case when w."isAttemptReturned" then 1 else 0 end
    end,
    device_id = case when w."isFresh" then null else d.device_id end,
    account = case when w."isFresh" then null else d.account end,
    account_reason = case when w."isFresh" then null else d.account_reason end,
    doubts = d.doubts + case
      when w.state = 'retry_wait' and w.reason = 'outcome_unknown' then 1
      else 0
    end,
    provider_id = coalesce(w."providerId", d.provider_id),
    provider_code = coalesce(
      w."providerCode", case when w."isFresh" then null else d.provider_code end
    ),
    -- A provider message belongs to the code it came with.
    provider_message = coalesce(
      w."providerMessage",
      case when w."isFresh" or w."providerCode" is not null then null else d.provider_message end
    ),
    sent_at = case
      when w.state in -- include: success-states
      then coalesce(
        d.sent_at,
        -- include: outcome-time(w, d)
      )
      else d.sent_at
    end,
    delivered_at = -- include: time-reached('delivered', delivered_at, w, d),
    displayed_at = -- include: time-reached('displayed', displayed_at, w, d),
    opened_at = -- include: time-reached('opened', opened_at, w, d),
    clicked_at = -- include: time-reached('clicked', clicked_at, w, d)
  from jsonb_to_recordset($1::jsonb) as w(
    "deliveryId" uuid, fence int, state text, reason text, "delayMs" float8,
    "isAttemptReturned" boolean, "isFresh" boolean, "providerId" text, "providerCode" text,
    "providerMessage" text, bounce jsonb, outcome text, "durationMs" int, at float8, event text,
    detail text, address text
  )
  where d.id = w."deliveryId"
    and (w.fence is null or w.fence = d.fence)
    and d.state = any($2)
    and not (
      d.state = 'unknown'
      and -- include: state-group(w.state)
      = 'pending'
    )
  returning d.id, d.campaign_id, d.application_id, d.channel, d.user_id, d.device_id, w.address,
    d.state, d.reason, d.bounce, w."providerId" as provider_id, w."providerCode" as provider_code,
    w."providerMessage" as provider_message, w.outcome, w."durationMs" as duration_ms, w.fence,
    w.event, w.detail,
    case when old.state = 'sending' and w.fence is not null then old.updated_at end as armed_at,
    old.state as old_state, old.reason as old_reason, old.bounce as old_bounce, old.account,
    case when old.state = 'sending' then old.attempts else new.attempts end as attempt
),
deltas as (
  -- include: deltas-of(changed)
),
counted as (
  -- include: count-deltas($3)
),
by_account as (
  -- include: count-accounts(changed, $3)
),
bounced as (
  select campaign_id, old_bounce ->> 'class' as class, -1 as n
  from changed
  where old_state = 'failed' and old_bounce is not null
  union all
  select campaign_id, bounce ->> 'class', 1
  from changed
  where state = 'failed' and bounce is not null
),
tallied as (
  insert into campaign_tallies as t (campaign_id, kind, class, shard, n)
  select campaign_id, 'bounced', class, $3::smallint, sum(n)
  from bounced
  group by 1, 3
  having sum(n) <> 0
  order by 1, 3
  on conflict (campaign_id, kind, class, shard) do update
  set n = t.n + excluded.n
),
known as (
  insert into provider_ids (provider_id)
  select provider_id
  from changed
  where channel in -- include: polled-channels
    and provider_id is not null
  on conflict do nothing
),
opened as (
  insert into open_outcomes as o (delivery_id, channel, user_id)
  select id, channel, user_id
  from changed
  where channel in -- include: polled-channels
    and state in ('unknown', 'retry_wait')
    and reason = 'outcome_unknown'
  on conflict (delivery_id) do update
  set since = excluded.since
)

-- part: logged-deliveries
insert into campaign_events (
  campaign_id, type, delivery_id, attempt, status, reason, provider_code, bounce, detail, fence,
  armed_at, outcome, duration_ms
)
select campaign_id, 'delivery.' || coalesce(event, state), id, attempt, state, reason,
  provider_code, bounce, coalesce(provider_message, detail), fence, armed_at, outcome, duration_ms
from changed

-- part: dead-address(l, x)
-- Devices lose the very address that turned out to be dead. In key order, so that two statements
-- cannot deadlock.
on x.application_id = l.application_id and x.device_id = l.device_id and x.address = l.address
order by 1, 2
for update of l

-- name: change-delivery-states
with -- include: changed-deliveries,
logged as (
  -- include: logged-deliveries
)
select id
from changed

-- name: change-delivery-states-of-dead
with -- include: changed-deliveries,
removed as (
  update devices v
  set address = null, address_hash = null
  from (
    select l.application_id, l.device_id
    from devices l
      join (
        select distinct application_id, device_id, address
        from changed
        where outcome = 'invalid_address' and device_id is not null
      ) x
      -- include: dead-address(l, x)
  ) locked
  where v.application_id = locked.application_id and v.device_id = locked.device_id
  returning v.application_id, v.device_id
),
logged as (
  -- include: logged-deliveries
  union all
  select distinct on (r.application_id, r.device_id) c.campaign_id, 'subscription.removed', c.id,
    c.attempt, 'removed', c.reason, c.provider_code, null, null, null::int, null::timestamptz, null,
    null::int
  from removed r
    join changed c on c.application_id = r.application_id
      and c.device_id = r.device_id
      and c.outcome = 'invalid_address'
)
select id
from changed

-- name: change-address-states
-- State of a delivery to several addresses: sent if any was sent, otherwise pending while any is
-- unsettled. Then canceled or expired, which ended the rest; then failures. The first of equals is
-- shown. Attempts are summed.
with wanted as (
  select *
  from jsonb_to_recordset($1::jsonb) as x(
    "deliveryId" uuid, "addressNo" smallint, fence int, state text, reason text, "delayMs" float8,
    "isAttemptReturned" boolean, "providerId" text, "providerCode" text, "providerMessage" text,
    outcome text, "durationMs" int, address text
  )
),
locked as (
  select d.id, d.application_id, d.state, d.reason
  from deliveries d
  where d.id in (select "deliveryId" from wanted)
  order by d.id
  for update of d
),
siblings as (
  select a.*
  from locked join delivery_addresses a on a.delivery_id = locked.id
  order by a.delivery_id, a.address_no
  for update of a
),
old as (
  select w.*, s.state as old_state, s.attempts as old_attempts,
    case when s.state = 'sending' then s.updated_at end as armed_at
  from siblings s
    join wanted w on w."deliveryId" = s.delivery_id
      and w."addressNo" = s.address_no
      and (w.fence is null or w.fence = s.fence)
  where s.state = any($2)
    and not (
      s.state = 'unknown'
      and -- include: state-group(w.state)
      = 'pending'
    )
),
changed as (
  update delivery_addresses a
  set state = w.state, reason = w.reason, owner = null, lease_until = null, updated_at = now(),
    next_at = now() + coalesce(w."delayMs", 0) * interval '1 ms',
    attempts = a.attempts - case when w."isAttemptReturned" then 1 else 0 end,
    doubts = a.doubts + case
      when w.state = 'retry_wait' and w.reason = 'outcome_unknown' then 1
      else 0
    end,
    provider_id = coalesce(w."providerId", a.provider_id),
    provider_code = coalesce(w."providerCode", a.provider_code),
    provider_message = coalesce(
      w."providerMessage", case when w."providerCode" is null then a.provider_message end
    ),
    sent_at = case when w.state = 'sent' then coalesce(a.sent_at, now()) else a.sent_at end
  from old w
  where a.delivery_id = w."deliveryId" and a.address_no = w."addressNo"
  returning a.*, w."providerCode" as code, w."providerMessage" as message, w.outcome,
    w."durationMs" as duration_ms, w.fence as by_fence, w.address, w.armed_at,
    case when w.old_state = 'sending' then w.old_attempts else a.attempts end as attempt
),
addresses as (
  select s.delivery_id, s.address_no, coalesce(c.state, s.state) as state,
    case when c.state is null then s.reason else c.reason end as reason,
    coalesce(c.attempts, s.attempts) as attempts, coalesce(c.doubts, s.doubts) as doubts,
    coalesce(c.provider_id, s.provider_id) as provider_id,
    coalesce(c.provider_code, s.provider_code) as provider_code,
    case
      when c.state is null then s.provider_message
      else c.provider_message
    end as provider_message
  from siblings s
    left join changed c on c.delivery_id = s.delivery_id and c.address_no = s.address_no
  where s.delivery_id in (select delivery_id from changed)
),
folds as (
  select distinct on (delivery_id) delivery_id,
    -- include: state-group(state) as state,
    reason, coalesce(provider_id, max(provider_id) over own) as provider_id, provider_code,
    provider_message, sum(attempts) over own as attempts, max(doubts) over own as doubts
  from addresses
  window own as (partition by delivery_id)
  order by delivery_id,
    array_position(
      array['sent', 'pending', 'unknown', 'canceled', 'expired', 'failed'],
      -- include: state-group(state)
    ),
    address_no
),
folded as (
  update deliveries d
  set state = case
      when l.state in -- include: success-states
      then d.state
      else f.state
    end,
    reason = case
      when l.state in -- include: success-states
      then d.reason
      else f.reason
    end,
    provider_id = coalesce(f.provider_id, d.provider_id),
    provider_code = case
      when l.state in -- include: success-states
      then d.provider_code
      else f.provider_code
    end,
    provider_message = case
      when l.state in -- include: success-states
      then d.provider_message
      else f.provider_message
    end,
    attempts = f.attempts, doubts = f.doubts, updated_at = now(),
    sent_at = case when f.state = 'sent' then coalesce(d.sent_at, now()) else d.sent_at end
  from folds f join locked l on l.id = f.delivery_id
  where d.id = f.delivery_id
  returning d.id, d.campaign_id, d.state, d.reason, d.attempts, d.provider_code, d.provider_message,
    l.state as old_state, l.reason as old_reason
),
deltas as (
  -- include: deltas-of(folded)
),
counted as (
  -- include: count-deltas($3)
),
removed as (
  update devices v
  set address = null, address_hash = null
  from (
    select l.application_id, l.device_id
    from devices l
      join (
        select distinct l.application_id, c.device_id, c.address
        from changed c join locked l on l.id = c.delivery_id
        where c.outcome = 'invalid_address' and c.device_id is not null
      ) x
      -- include: dead-address(l, x)
  ) locked
  where v.application_id = locked.application_id and v.device_id = locked.device_id
  returning v.application_id, v.device_id
),
logged as (
  insert into campaign_events (
    campaign_id, type, delivery_id, address_no, attempt, status, reason, provider_code, detail,
    fence, armed_at, outcome, duration_ms
  )
  select campaign_id, type, delivery_id, address_no, attempt, status, reason, provider_code, detail,
    fence, armed_at, outcome, duration_ms
  from (
    select 1 as place, campaign_id, 'address.' || state as type, delivery_id, address_no, attempt,
      state as status, reason, code as provider_code, message as detail, by_fence as fence,
      armed_at, outcome, duration_ms
    from changed
    union all
    select distinct on (r.application_id, r.device_id) 2, c.campaign_id, 'subscription.removed',
      c.delivery_id, c.address_no, c.attempt, 'removed', c.reason, c.code, null, null::int,
      null::timestamptz, null, null::int
    from removed r
      join locked l on l.application_id = r.application_id
      join changed c on c.delivery_id = l.id
        and c.device_id = r.device_id
        and c.outcome = 'invalid_address'
    union all
    select 3, campaign_id, 'delivery.' || state, id, null, attempts, state, reason, provider_code,
      provider_message, null, null, null, null
    from folded
    where state <> -- include: state-group(old_state)
  ) entries
  order by place, delivery_id, address_no
)
select delivery_id as id, address_no as no
from changed
