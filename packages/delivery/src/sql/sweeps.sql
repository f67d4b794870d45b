-- part: unsent(d)
(
  d.state in ('pending', 'retry_wait')
  or -- include: claim-is-over(d)
)

-- name: campaigns-to-expand
select id
from campaigns
where lane = 'express'
  and status in ('queued', 'sending')
  and expanded_at is null
  and (source <> 'api' or created_at < now() - $1::float8 * interval '1 ms')
order by id
limit 1000

-- part: is-overdue(d)
-- Its worker has not said what became of it in time.
d.state = 'sending'
and (
  d.lease_until < now()
  or -- include: postgres/written-ahead(d.updated_at)
)

-- name: lock-overdue-deliveries
select row.*, c.channel, (a.settings -> 'resendOnUnknown' ->> c.channel)::boolean as resend
from campaign_chunks k
  join campaigns c on c.id = k.campaign_id
  join applications a on a.id = c.application_id
  cross join lateral (
    select d.id as "deliveryId", d.fence, d.campaign_id, d.chunk_no, d.doubts,
      d.test_address is not null as is_test,
      -- include: postgres/written-ahead(d.updated_at) as is_ahead
    from deliveries d
    where d.campaign_id = k.campaign_id
      and d.chunk_no = k.chunk_no
      and -- include: is-overdue(d)
    order by d.id
    limit $1
    for update of d skip locked
  ) row
where k.leased_until < now()
limit $1

-- name: lock-overdue-addresses
select row.*, c.channel, (a.settings -> 'resendOnUnknown' ->> c.channel)::boolean as resend
from campaign_chunks k
  join campaigns c on c.id = k.campaign_id
    and c.channel in -- include: device-channels
  join applications a on a.id = c.application_id
  cross join lateral (
    select d.delivery_id as "deliveryId", d.address_no as "addressNo", d.fence, d.campaign_id,
      d.chunk_no, d.doubts, o.test_address is not null as is_test,
      -- include: postgres/written-ahead(d.updated_at) as is_ahead
    from delivery_addresses d join deliveries o on o.id = d.delivery_id
    where d.campaign_id = k.campaign_id
      and d.chunk_no = k.chunk_no
      and -- include: is-overdue(d)
    order by o.id, d.address_no
    limit $1
    for update of o skip locked
  ) row
where k.leased_until < now()
limit $1

-- name: renew-chunk-leases
-- Checks chunks with marked rows every 30 s while their campaign is active: a marking that started
-- before a check may commit after it.
with ended as (
  select k.campaign_id, k.chunk_no
  from campaign_chunks k
  where k.leased_until < now()
  order by 1, 2
  limit $1
  for update skip locked
)
update campaign_chunks k
set leased_until = least(
    (
      select min(d.lease_until)
      from deliveries d
      where d.campaign_id = k.campaign_id and d.chunk_no = k.chunk_no and d.state = 'sending'
    ),
    case
      when c.channel in -- include: device-channels
      then (
        select min(d.lease_until)
        from delivery_addresses d
        where d.campaign_id = k.campaign_id
          and d.chunk_no = k.chunk_no
          and d.state in -- include: pending-states
          and d.state = 'sending'
      )
    end,
    case
      when k.pending_action is not null
        or (k.due_at is not null and c.status in ('sending', 'paused'))
        then now() + 30 * interval '1 s'
    end
  ),
  -- include: written-now(k)
from ended e join campaigns c on c.id = e.campaign_id
where k.campaign_id = e.campaign_id and k.chunk_no = e.chunk_no

-- name: read-expired-campaigns
-- None expires before it begins.
select id
from campaigns
where lane <> 'scheduled' and status in ('queued', 'sending', 'paused') and expires_at <= now()

-- name: complete-campaigns
with settled as (
  select c.id, c.retried_at
  from campaigns c
  where c.status in ('sending')
    and c.lane <> 'scheduled'
    and c.expanded_at is not null
    and not -- include: takes-recipients(c)
    and not exists (
      select 1 from campaign_chunks k where k.campaign_id = c.id and k.pending_action is not null
    )
    -- Who is held back waits for a decision.
    and not (
      c.winner is not null
      and exists (
        select 1 from campaign_chunks k where k.campaign_id = c.id and k.recipients is not null
      )
    )
    and not (
      c.channel in -- include: device-channels
      and exists (
        select 1
        from campaign_chunks k
        where k.campaign_id = c.id
          and k.due_at is not null
          and exists (
            select 1
            from delivery_addresses d
            where d.campaign_id = k.campaign_id
              and d.chunk_no = k.chunk_no
              and d.state in -- include: pending-states
          )
      )
    )
    and (
      select coalesce(sum(k.n), 0)
      from campaign_counters k
      where k.campaign_id = c.id and k.state = 'pending'
    ) = 0
  order by c.id
  limit 100
),
timed as (
  select s.id, s.retried_at,
    (
      select percentile_disc(array[0.5, 0.95]) within group (
        order by -- include: send-latency(c, d)
      )
      from deliveries d
      where d.campaign_id = s.id and c.send_at_local is null and d.sent_at is not null
    ) as percentiles
  from settled s join campaigns c on c.id = s.id
),
completed as (
  update campaigns c
  set status = 'completed', completed_at = now(), p50_ms = percentiles[1]::bigint,
    p95_ms = percentiles[2]::bigint
  from timed
  where c.id = timed.id
    and c.status in ('sending')
    and c.retried_at is not distinct from timed.retried_at
  returning c.id
)
insert into campaign_events (campaign_id, type, detail)
select id, 'campaign.completed', null::text
from completed

-- name: renew-delivery-leases
update deliveries d
set lease_until = now() + (d.lease_until - d.updated_at), updated_at = now()
where d.id = any($1) and d.state = 'sending'

-- name: renew-address-leases
update delivery_addresses d
set lease_until = now() + (d.lease_until - d.updated_at), updated_at = now()
from unnest($1::uuid[], $2::smallint[]) as x(id, no)
where d.delivery_id = x.id and d.address_no = x.no and d.state = 'sending'

-- name: lock-unsent-deliveries
select row.*
from campaign_chunks k
  cross join lateral (
    select d.id as "deliveryId", d.doubts
    from deliveries d
    where d.addressed_at is null
      and d.campaign_id = k.campaign_id
      and d.chunk_no = k.chunk_no
      and -- include: unsent(d)
    limit $2
    for update of d skip locked
  ) row
where k.campaign_id = any($1) and k.due_at is not null
limit $2

-- name: lock-unsent-addresses
select row.*
from campaign_chunks k
  join campaigns c on c.id = k.campaign_id
    and c.channel in -- include: device-channels
  cross join lateral (
    select d.delivery_id as "deliveryId", d.address_no as "addressNo", d.doubts
    from delivery_addresses d join deliveries o on o.id = d.delivery_id
    where d.campaign_id = k.campaign_id
      and d.chunk_no = k.chunk_no
      and -- include: unsent(d)
    limit $2
    for update of o skip locked
  ) row
where k.campaign_id = any($1) and k.due_at is not null
limit $2
