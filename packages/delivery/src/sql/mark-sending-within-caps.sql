-- name: lock-users-to-send
-- 7301 is the namespace of these advisory locks (marketing per user).
select pg_advisory_xact_lock(key)
from (
  select distinct hashtextextended(d.user_id::text || $2, 7301) as key
  from deliveries d
  where d.id = any($1) and d.user_id is not null
  order by 1
) users

-- name: find-capped-deliveries
select d.id,
  (
    extract(
      epoch
      from (array_agg(s.armed_at order by s.armed_at desc))[$3::int] + $4::float8 * interval '1 ms'
        - clock_timestamp()
    ) * 1000
  )::float8 as free_in_ms
from deliveries d
  join marketing_sends s on s.user_id = d.user_id
    and s.channel = $2
    and s.delivery_id <> d.id
    and s.armed_at > clock_timestamp() - $4::float8 * interval '1 ms'
  join deliveries o on o.id = s.delivery_id and o.state not in ('failed', 'expired', 'canceled')
where d.id = any($1)
group by d.id

-- name: record-marketing
insert into marketing_sends (user_id, channel, delivery_id, armed_at)
select d.user_id, $2, d.id, clock_timestamp()
from deliveries d
where d.id = any($1) and d.user_id is not null
on conflict (user_id, channel, delivery_id) do update
set armed_at = excluded.armed_at

-- name: begin-day
insert into daily_sends (application_id, channel, day, units)
values ($1, $2, $3, 0)
on conflict do nothing

-- name: lock-day
select units::float8 as units
from daily_sends
where application_id = $1 and channel = $2 and day = $3
for update

-- name: add-units-to-day
update daily_sends set units = units + $4 where application_id = $1 and channel = $2 and day = $3

-- name: mark-counted
update deliveries set counted_on = $2 where id = any($1)

-- name: log-spend-cap
insert into campaign_events (campaign_id, type, reason, detail)
values ($1, 'campaign.spend_capped', 'spend_cap', $2)
on conflict (campaign_id, detail)
where type = 'campaign.spend_capped' do nothing

-- name: lock-counted
select id, counted_on from deliveries where id = any($1) order by id for update

-- name: refund-units-to-day
update daily_sends
set units = greatest(0, units - $4)
where application_id = $1 and channel = $2 and day = $3

-- name: lock-day-of-failed
select from daily_sends where application_id = $1 and channel = $2 and day = $3 for update

-- name: unmark-counted
update deliveries set counted_on = null where id = $1 and counted_on = $2 and state = 'failed'

-- name: purge-marketing-sends
delete from marketing_sends
where ctid = any(
    array(
      select ctid
      from marketing_sends
      where armed_at < now() - $1::float8 * interval '1 hour'
      order by armed_at
      limit $2
      for update skip locked
    )
  )

-- name: purge-daily-sends
delete from daily_sends
where ctid = any(
    array(
      select ctid
      from daily_sends
      where day < to_char(now() - $1::int * interval '1 day', 'YYYY-MM-DD')
      limit $2
      for update skip locked
    )
  )
