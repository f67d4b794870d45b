-- part: free-in-inbox(i)
-- No device has fetched the message, or the one that did has not confirmed it.
(
  i.lease_until is null
  or i.lease_until <= now()
  or (i.lease_until > now() + interval '10 min' and i.lease_until <> 'infinity')
)

-- part: not-displayed(i)
-- A device that has just fetched a message may be displaying it. A device that confirmed it earlier
-- and has not displayed it will not.
(
  -- include: free-in-inbox(i)
  or i.lease_until = 'infinity'
)

-- name: lock-expired-in-inbox
with over as materialized (
  select i.delivery_id
  from inbox i
  where i.expires_at <= now()
    and -- include: not-displayed(i)
  order by i.expires_at
  limit $1
)
select d.id
from over join deliveries d on d.id = over.delivery_id
where d.state = 'waiting'
order by d.id
for update of d skip locked

-- name: lease-messages
-- A lease that ends in more than 10 minutes was written while Postgres' clock was ahead.
with asked as materialized (
  select a.no, a.device_id, a.channel, a.stream, a.messages_max,
    coalesce(
      -- include: people/proved-user(v),
      v.user_id
    ) as user_id
  from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $6::int[]) with ordinality as a(
    application_id, device_id, channel, stream, messages_max, no
  )
    join devices v on v.application_id = a.application_id and v.device_id = a.device_id
),
found as (
  select a.no, a.device_id, a.stream, free.delivery_id, free.offered_no
  from asked a
    cross join lateral (
      select i.delivery_id, i.offered_no
      from inbox i
      where i.user_id = a.user_id
        and (a.channel is null or i.channel = a.channel)
        and i.expires_at > now()
        and -- include: free-in-inbox(i)
        and (
          select c.status in ('sending', 'completed') from campaigns c where c.id = i.campaign_id
        )
      order by i.offered_no
      limit a.messages_max
      for update of i skip locked
    ) free
),
numbered as materialized (
  select f.*, nextval('inbox_lease_no') as lease_no
  from (select * from found order by no, offered_no) f
),
leased as (
  update inbox i
  set leased_by = f.device_id, lease_stream = f.stream, lease_no = f.lease_no,
    lease_until = now() + $5::float8 * interval '1 ms'
  from numbered f
  where i.delivery_id = f.delivery_id
    and -- include: free-in-inbox(i)
  returning f.no, i.delivery_id, i.campaign_id, i.channel, i.expires_at, i.message::text as message,
    i.lease_no::float8 as lease_no
)
select a.no::int, a.user_id, l.delivery_id, l.campaign_id, l.channel, l.expires_at, l.message,
  l.lease_no
from asked a left join leased l on l.no = a.no
order by a.no, l.lease_no

-- name: release-leases
with locked as materialized (
  select i.delivery_id
  from inbox i
  where i.user_id = $1
    and i.leased_by = $2
    and i.lease_stream = $3
    and i.lease_no > $4::float8
    and i.lease_until <> 'infinity'
  order by i.delivery_id
  for update
)
update inbox i
set lease_until = null
from locked
where i.delivery_id = locked.delivery_id

-- name: confirm-leases
with locked as materialized (
  select i.delivery_id
  from inbox i
  where i.delivery_id = any($3::uuid[])
    and i.user_id = $1
    and i.leased_by = $2
    and i.lease_until is distinct from 'infinity'
  order by i.delivery_id
  for update
)
update inbox i
set lease_until = 'infinity'
from locked
where i.delivery_id = locked.delivery_id
returning i.delivery_id

-- part: delete-locked
delete from inbox i using locked
where i.delivery_id = locked.delivery_id
returning i.delivery_id

-- name: remove-from-inbox
with locked as materialized (
  select i.delivery_id
  from inbox i
  where i.delivery_id = any($1::uuid[])
  order by i.delivery_id
  for update
)
-- include: delete-locked

-- name: take-back-from-inbox
with locked as materialized (
  select i.delivery_id
  from inbox i
  where i.delivery_id = any($1::uuid[])
    and -- include: not-displayed(i)
  order by i.delivery_id
  for update
)
-- include: delete-locked

-- name: delete-inbox-messages
with locked as materialized (
  select i.delivery_id
  from inbox i
  where i.user_id = any($1::uuid[])
  order by i.delivery_id
  for update
)
-- include: delete-locked

-- name: find-own-deliveries
select d.id, d.channel, d.state
from deliveries d
where d.id = any($1::uuid[])
  and d.application_id = $2
  and (d.user_id = $3 or (d.user_id is null and d.test_address = $4))

-- name: read-message-texts
select id, message::text as message from campaigns where id = any($1::uuid[])
