-- name: read-local-deliveries
-- The device seen last counts, as for conditions on the time zone.
select d.id, d.campaign_id, d.chunk_no, c.send_at_local,
  left(
    coalesce(
      -- include: people/own-time-zone(u),
      -- include: people/time-zone-of-device(u)
    ),
    64
  ) as time_zone,
  a.settings ->> 'timeZone' as application_zone
from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
  join campaigns c on c.id = x.campaign_id and c.send_at_local is not null
  join applications a on a.id = c.application_id
  join deliveries d on d.campaign_id = x.campaign_id
    and d.chunk_no = x.chunk_no
    and d.state = 'pending'
  join users u on u.id = d.user_id
order by d.id

-- name: hold-until-local-time
update deliveries d
set next_at = to_timestamp(x.at_ms / 1000), updated_at = now()
from unnest($1::uuid[], $2::float8[]) as x(id, at_ms)
where d.id = x.id and d.state = 'pending' and to_timestamp(x.at_ms / 1000) > now()
returning d.id

-- name: schedule-local-chunks
update campaign_chunks k
set local_time_passed = coalesce(k.local_time_passed, 0) + x.passed,
  due_at = case
    when not $4::boolean then k.due_at
    when k.due_at is not null then greatest(
      k.due_at,
      (
        select min(d.next_at)
        from deliveries d
        where d.campaign_id = k.campaign_id
          and d.chunk_no = k.chunk_no
          and d.state = 'pending'
          and d.user_id is not null
      )
    )
  end
from unnest($1::uuid[], $2::int[], $3::int[]) as x(campaign_id, chunk_no, passed)
where k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no
