-- part: user-of-inbox(d)
-- None if the user was deleted since. A test send names its user in the address column.
coalesce(
  (select u.id from users u where u.id = d.user_id),
  (
    select u.id
    from users u
    where u.application_id = d.application_id
      and u.custom_user_id = d.test_address
      and u.registered_at is not null
  )
)

-- name: deliver-to-inbox
-- The devices of `d.user_id` get the delivery; none if the user was deleted since. A test send
-- names its user in the address column.
with placed as (
  update deliveries d
  set state = 'waiting', reason = null, attempts = d.attempts + 1, owner = null, lease_until = null,
    updated_at = now()
  from unnest($1::uuid[], $2::int[], $4::text[]) as x(id, fence, message)
  where d.id = x.id
    and -- include: is-held(d, x)
    and -- include: user-of-inbox(d)
    is not null
    and -- include: is-sending(d)
  returning d.id, d.fence, d.attempts, d.campaign_id, d.application_id, d.channel, x.message,
    -- include: user-of-inbox(d) as user_id
),
deltas as (
  select campaign_id, 'pending' as state, '' as reason, -1 as n
  from placed
  union all
  select campaign_id, 'waiting', '', 1
  from placed
),
counted as (
  -- include: count-deltas($3)
),
recorded as (
  -- include: record-words(placed, $5, $6, $7, $8, $9, $10)
),
kept as (
  insert into inbox (
    delivery_id, application_id, user_id, channel, campaign_id, expires_at, message
  )
  select o.id, o.application_id, o.user_id, o.channel, o.campaign_id, c.expires_at, o.message::jsonb
  from placed o join campaigns c on c.id = o.campaign_id
),
logged as (
  insert into campaign_events (campaign_id, type, delivery_id, attempt, status, fence)
  select campaign_id, 'delivery.waiting', id, attempts, 'waiting', fence
  from placed
)
select id, fence, user_id
from placed
