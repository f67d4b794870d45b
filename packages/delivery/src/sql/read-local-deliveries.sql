-- The device seen last counts, as for conditions on the time zone.
select
  d.id,
  d.campaign_id,
  d.chunk_no,
  c.send_at_local,
  left(
    coalesce(
      u.custom_attributes ->> 'timeZone',
      (
        select w.time_zone
        from devices w
        where
          w.time_zone is not null
          and w.proved_user_id = u.id
          and w.user_id_at_proof = w.user_id
        order by w.seen_at desc
        limit 1
      )
    ),
    64
  ) as time_zone,
  a.settings ->> 'timeZone' as application_zone
from
  unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
  join campaigns c on c.id = x.campaign_id
    and c.send_at_local is not null
  join applications a on a.id = c.application_id
  join deliveries d on d.campaign_id = x.campaign_id
    and d.chunk_no = x.chunk_no
    and d.state = 'pending'
  join users u on u.id = d.user_id
order by d.id
