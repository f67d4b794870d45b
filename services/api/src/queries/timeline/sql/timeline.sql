-- name: read-timeline-events
select -- include: events/event-columns(e, d)
from (
  select newest.*
  from unnest($1::uuid[]) as u(id)
    cross join lateral (
      -- include: events/page-of-user-events(u)
    ) newest
  order by newest.time desc, newest.request_id desc, newest.message_index desc
  limit $5
) e
  -- include: events/current-definition(e, d)
order by e.time desc, e.request_id desc, e.message_index desc

-- name: read-timeline-messages
select d.*
from unnest($1::uuid[]) as u(id)
  cross join lateral (
    select id, campaign_id, channel, state, reason, created_at, sent_at
    from deliveries
    where user_id = u.id and test_address is null and ($2::uuid is null or id < $2::uuid)
    order by id desc
    limit $3
  ) as d
order by d.id desc
limit $3

-- name: read-profile-stamps
select clocks::text from users where id = $1
