-- part: next-claim(d)
-- The next time of the rows of a chunk. A delivery being sent is never claimed:
-- `renew-chunk-leases` renews its lease.
min(
  case
    when d.state <> 'sending'
      and -- include: postgres/written-ahead(d.updated_at)
      then now()
    when d.state in ('claimed', 'sending') then d.lease_until
    else d.next_at
  end
)

-- part: next-claim-of-deliveries(k)
select -- include: next-claim(d)
from deliveries d
where d.campaign_id = k.campaign_id
  and d.chunk_no = k.chunk_no
  and d.state in -- include: pending-states
  and -- include: has-recipient(d)

-- part: next-claim-with-addresses(k)
-- A delivery that was divided into addresses is due by them.
least(
  (
    -- include: next-claim-of-deliveries(k)
    and d.addressed_at is null
  ),
  (
    select -- include: next-claim(d)
    from delivery_addresses d
    where d.campaign_id = k.campaign_id
      and d.chunk_no = k.chunk_no
      and d.state in -- include: pending-states
  )
)

-- part: is-read(u, next)
-- A dispatch record at or after the chunk's last one no longer waits once it is read.
(
  u.announced_partition = next.read_partition::int
  and u.announced_offset <= next.read_offset::bigint
)

-- part: schedule(u, next)
due_at = least(u.due_at, next.claim),
-- include: written-now(u),
announced_offset = case
  when -- include: is-read(u, next)
  then null
  else u.announced_offset
end

-- part: read-chunks
from unnest($1::uuid[], $2::int[], $3::int[], $4::bigint[]) as x(
  campaign_id, chunk_no, read_partition, read_offset
)
  join campaign_chunks k on k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no
order by 1, 2

-- part: is-rescheduled(u, next)
u.campaign_id = next.campaign_id
and u.chunk_no = next.chunk_no
and next.claim is not null
and (
  u.due_at is null
  or u.due_at > next.claim
  or -- include: is-read(u, next)
)

-- part: given-chunks
select k.campaign_id, k.chunk_no
from campaign_chunks k
  join unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no) on k.campaign_id = x.campaign_id
    and k.chunk_no = x.chunk_no

-- name: due-chunks
select k.campaign_id, k.chunk_no, c.application_id, c.channel, c.lane, k.announced_partition,
  k.announced_offset
from campaign_chunks k join campaigns c on c.id = k.campaign_id
where k.due_at <= now() and k.lane = 'express'
order by k.due_at
limit $1

-- name: postpone-chunks
with left_alone as (
  -- include: given-chunks
  where k.due_at <= now()
  order by 1, 2
  for update of k
)
update campaign_chunks k
set due_at = now() + $3::float8 * interval '1 ms',
  -- include: written-now(k)
from left_alone l
where k.campaign_id = l.campaign_id and k.chunk_no = l.chunk_no

-- name: lock-due-chunks
-- include: given-chunks
where k.due_at <= now()
for update of k skip locked

-- name: take-chunks
with looked as (
  select k.campaign_id, k.chunk_no, c.application_id, c.channel, c.lane,
    case
      when c.channel in -- include: device-channels
      then -- include: next-claim-with-addresses(k)
      else (
        -- include: next-claim-of-deliveries(k)
      )
    end as next_claim,
    c.status = 'sending'
      and c.expires_at > now()
      and not -- include: paused(c) as is_sending,
    c.status in ('queued', 'sending', 'paused') as is_at_work
  from campaign_chunks k
    join campaigns c on c.id = k.campaign_id
    join unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
      on k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no
),
scheduled as (
  update campaign_chunks k
  set due_at = case
      when l.next_claim is null or not l.is_at_work then null
      when l.next_claim > now() then l.next_claim
      when l.is_sending then now() + $4::float8 * interval '1 s'
      else now() + $3::float8 * interval '1 ms'
    end,
    -- include: written-now(k)
  from looked l
  where k.campaign_id = l.campaign_id and k.chunk_no = l.chunk_no
)
select campaign_id, chunk_no, application_id, channel, lane
from looked
where is_sending and next_claim <= now()

-- name: wake-chunks
with woken as (
  -- include: given-chunks
  order by 1, 2
  for update of k
)
update campaign_chunks k
set due_at = now(),
  -- include: written-now(k)
from woken w
where k.campaign_id = w.campaign_id and k.chunk_no = w.chunk_no

-- name: mark-dispatched
with dispatched as (
  select k.campaign_id, k.chunk_no, x.partition, x.record_offset
  from campaign_chunks k
    join unnest($1::uuid[], $2::int[], $3::int[], $4::bigint[]) as x(
      campaign_id, chunk_no, partition, record_offset
    ) on k.campaign_id = x.campaign_id
      and k.chunk_no = x.chunk_no
  order by 1, 2
  for update of k
)
update campaign_chunks k
set announced_partition = a.partition, announced_offset = a.record_offset
from dispatched a
where k.campaign_id = a.campaign_id and k.chunk_no = a.chunk_no

-- name: schedule-chunks
-- A dispatch record at or after the chunk's last one no longer waits once it is read.
update campaign_chunks u
set -- include: schedule(u, next)
from (
  select k.campaign_id, k.chunk_no, x.read_partition, x.read_offset,
    (
      -- include: next-claim-of-deliveries(k)
    ) as claim
    -- include: read-chunks
) next
where -- include: is-rescheduled(u, next)

-- name: schedule-chunks-by-addresses
update campaign_chunks u
set -- include: schedule(u, next)
from (
  select k.campaign_id, k.chunk_no, x.read_partition, x.read_offset,
    -- include: next-claim-with-addresses(k) as claim
    -- include: read-chunks
) next
where -- include: is-rescheduled(u, next)

-- name: put-off-chunk
update campaign_chunks u
set due_at = greatest(u.due_at, now() + $5::float8 * interval '1 ms'),
  -- include: written-now(u),
  announced_offset = case
    when (u.announced_partition = $3::int and u.announced_offset <= $4::bigint) then null
    else u.announced_offset
  end
where u.campaign_id = $1 and u.chunk_no = $2 and u.due_at is not null

-- name: wake-campaign
with woken as (
  select chunk_no
  from campaign_chunks
  where campaign_id = $1 and due_at is not null
  order by 1
  for update
)
update campaign_chunks k
set due_at = now(),
  -- include: written-now(k)
from woken w
where k.campaign_id = $1 and k.chunk_no = w.chunk_no
