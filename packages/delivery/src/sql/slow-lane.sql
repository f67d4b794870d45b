-- name: leave-slow-lane
delete from slow_snapshots s
where not exists (
    select 1
    from campaigns c
    where c.id = s.campaign_id and c.lane = 'snapshot' and c.status = 'queued'
  )

-- name: enter-slow-lane
-- The oldest of each application that does not stand in the lane yet.
insert into slow_snapshots (application_id, campaign_id)
select distinct on (application_id) application_id, id
from campaigns
where lane = 'snapshot' and status = 'queued' and snapshot_slow_at is not null
order by application_id, snapshot_slow_at, id
on conflict (application_id) do nothing

-- name: next-in-slow-lane
select c.id
from slow_snapshots s join campaigns c on c.id = s.campaign_id
where c.lane = 'snapshot'
  and c.status = 'queued'
  and c.expires_at > now()
  and (
    c.snapshot_tries >= $2
    or c.snapshot_tried_at is null
    or c.snapshot_tried_at > now()
    or c.snapshot_tried_at < now() - c.snapshot_tries * $1::float8 * interval '1 ms'
  )
order by s.since, s.application_id
limit 1

-- name: count-slow-campaigns
select count(*)::int as campaigns
from campaigns
where lane = 'snapshot' and status = 'queued' and snapshot_slow_at is not null

-- name: has-been-slow
-- Of the application's latest slow campaigns: it may have many.
select exists (
  select 1
  from (
    select audience
    from campaigns
    where application_id = $1 and snapshot_slow_at > now() - interval '7 days'
    order by snapshot_slow_at desc
    limit 100
  ) slow
  where case
      when $2::text is null then slow.audience ->> 'segment' is null
        and slow.audience -> 'condition' = $3::jsonb
      else slow.audience ->> 'segment' = $2
    end
) as has_been_slow
