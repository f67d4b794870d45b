-- A lease that ends in more than 10 minutes was written while Postgres' clock was ahead.
with
  asked as materialized (
    select
      a.no,
      a.device_id,
      a.channel,
      a.stream,
      a.messages_max,
      coalesce(
        case
          when v.user_id_at_proof = v.user_id then v.proved_user_id
        end,
        v.user_id
      ) as user_id
    from
      unnest(
        $1::uuid[],
        $2::text[],
        $3::text[],
        $4::uuid[],
        $6::int[]
      ) with ordinality as a(
        application_id,
        device_id,
        channel,
        stream,
        messages_max,
        no
      )
      join devices v on v.application_id = a.application_id
        and v.device_id = a.device_id
  ),
  found as (
    select
      a.no,
      a.device_id,
      a.stream,
      free.delivery_id,
      free.offered_no
    from
      asked a
      cross join lateral (
        select
          i.delivery_id,
          i.offered_no
        from inbox i
        where
          i.user_id = a.user_id
          and (
            a.channel is null
            or i.channel = a.channel
          )
          and i.expires_at > now()
          and (
            i.lease_until is null
            or i.lease_until <= now()
            or (
              i.lease_until > now() + interval '10 min'
              and i.lease_until <> 'infinity'
            )
          )
          and (
            select c.status in ('sending', 'completed')
            from campaigns c
            where c.id = i.campaign_id
          )
        order by i.offered_no
        limit a.messages_max
        for update of i skip locked
      ) free
  ),
  numbered as materialized (
    select
      f.*,
      nextval('inbox_lease_no') as lease_no
    from
      (
        select *
        from found
        order by
          no,
          offered_no
      ) f
  ),
  leased as (
    update inbox i
    set
      leased_by = f.device_id,
      lease_stream = f.stream,
      lease_no = f.lease_no,
      lease_until = now() + $5::float8 * interval '1 ms'
    from numbered f
    where
      i.delivery_id = f.delivery_id
      and (
        i.lease_until is null
        or i.lease_until <= now()
        or (
          i.lease_until > now() + interval '10 min'
          and i.lease_until <> 'infinity'
        )
      )
    returning
      f.no,
      i.delivery_id,
      i.campaign_id,
      i.channel,
      i.expires_at,
      i.message::text as message,
      i.lease_no::float8 as lease_no
  )
select
  a.no::int,
  a.user_id,
  l.delivery_id,
  l.campaign_id,
  l.channel,
  l.expires_at,
  l.message,
  l.lease_no
from
  asked a
  left join leased l on l.no = a.no
order by
  a.no,
  l.lease_no
