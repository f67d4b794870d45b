-- part: is-unfinished(d)
(d.state in ('pending', 'claimed', 'retry_wait', 'waiting') or d.state = 'sending')

-- part: has-remaining-work(k)
(
  k.expanded_at is null
  or exists (
    select 1
    from deliveries d
    where d.campaign_id = k.campaign_id
      and d.chunk_no = k.chunk_no
      and d.addressed_at is null
      and -- include: is-unfinished(d)
  )
  or exists (
    select 1
    from delivery_addresses d
    where d.campaign_id = k.campaign_id
      and d.chunk_no = k.chunk_no
      and -- include: is-unfinished(d)
  )
)

-- part: never-accepted(d)
-- Never resend what a provider accepted, gave an id, or may have accepted.
d.state = 'failed' and d.sent_at is null and d.provider_id is null and d.doubts = 0

-- part: has-failures(k)
(
  exists (
    select 1
    from deliveries d
    where d.campaign_id = k.campaign_id
      and d.chunk_no = k.chunk_no
      and -- include: never-accepted(d)
  )
)

-- part: marked-chunks
-- Of the chunks $4.
select k.chunk_no
from campaign_chunks k
where k.campaign_id = $1 and k.chunk_no = any($4) and k.pending_action is not null
order by 1
for update of k

-- part: due-again(k)
-- The chunks $3: their rows may be sent again, and unknown recipients looked up again.
due_at = case when k.chunk_no = any($3::int[]) then now() else k.due_at end,
unresolved_at = case when k.chunk_no = any($3::int[]) then now() else k.unresolved_at end,
-- include: written-now(k)
from locked
where k.campaign_id = $1 and k.chunk_no = locked.chunk_no

-- part: changeable-columns(d)
d.id as "deliveryId", d.chunk_no, d.state, d.doubts, d.addressed_at is not null as is_addressed

-- name: lock-deliveries-to-cancel
select -- include: changeable-columns(d)
from deliveries d
where d.campaign_id = $1
  and d.chunk_no = any($2)
  and d.addressed_at is null
  and d.state in ('pending', 'claimed', 'retry_wait', 'waiting')
order by d.id
for update of d skip locked

-- name: lock-addresses-to-cancel
select d.delivery_id as "deliveryId", d.address_no as "addressNo", d.doubts
from campaigns c
  join delivery_addresses d on d.campaign_id = c.id and d.chunk_no = any($2)
  join deliveries o on o.id = d.delivery_id
where c.id = $1
  and c.channel in -- include: device-channels
  and d.state in ('pending', 'claimed', 'retry_wait', 'waiting')
order by o.id
for update of o skip locked

-- name: mark-chunks-to-cancel
-- Marks each chunk that has remaining work ($2: the action). Makes chunks of $3 due: their rows may
-- be sent again, and unknown recipients looked up again.
with locked as (
  select k.chunk_no
  from campaign_chunks k
  where k.campaign_id = $1
    and (
      k.pending_action is not null
      or k.chunk_no = any($3::int[])
      or -- include: has-remaining-work(k)
    )
  order by 1
  for update of k
)
update campaign_chunks k
set pending_action = case
    when -- include: has-remaining-work(k)
    then $2::text
  end,
  -- include: due-again(k)

-- name: unmark-canceled-chunks
with locked as (
  -- include: marked-chunks
)
update campaign_chunks k
set pending_action = case
    when -- include: has-remaining-work(k)
    then $2::text
  end,
  -- include: due-again(k)

-- name: lock-deliveries-to-retry
-- Never resend what a provider accepted, gave an id, or may have accepted.
select -- include: changeable-columns(d)
from deliveries d
where d.campaign_id = $1
  and d.chunk_no = any($2)
  and -- include: never-accepted(d)
order by d.id
for update of d skip locked

-- name: mark-chunks-to-retry
with locked as (
  select k.chunk_no
  from campaign_chunks k
  where k.campaign_id = $1
    and (
      k.pending_action is not null
      or k.chunk_no = any($3::int[])
      or -- include: has-failures(k)
    )
  order by 1
  for update of k
)
update campaign_chunks k
set pending_action = case
    when -- include: has-failures(k)
    then $2::text
  end,
  -- include: due-again(k)

-- name: unmark-retried-chunks
with locked as (
  -- include: marked-chunks
)
update campaign_chunks k
set pending_action = case
    when -- include: has-failures(k)
    then $2::text
  end,
  -- include: due-again(k)

-- name: has-retryable-failures
select 1
from deliveries d
where d.campaign_id = $1
  and -- include: never-accepted(d)
limit 1

-- name: next-marked-chunks
select campaign_id, chunk_no
from campaign_chunks
where pending_action is not null and (campaign_id, chunk_no) > ($1, $2)
order by 1, 2
limit 5

-- name: share-campaign
select 1 from campaigns where id = $1 for share

-- name: read-marked-chunks
select chunk_no, pending_action
from campaign_chunks
where campaign_id = $1
  and chunk_no = any($2)
  and pending_action is not null
  and expanded_at is not null

-- name: delete-addresses
with forgotten as (
  delete from delivery_addresses a where a.delivery_id = any($1) returning a.delivery_id, a.fence
)
update deliveries d
set addressed_at = null, fence = greatest(d.fence, f.fence)
from (select delivery_id, max(fence) as fence from forgotten group by 1) f
where d.id = f.delivery_id
