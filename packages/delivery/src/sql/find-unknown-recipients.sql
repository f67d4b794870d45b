-- Reads chunk by chunk through their index, independent of statistics; $2 is more than a chunk has.
-- For deliveries created while Postgres' clock was ahead, the chunk has the start of the lookup.
with
  looked as materialized (
    (
      select d.id
      from
        campaign_chunks k
        cross join lateral (
          select d.id
          from deliveries d
          where
            d.campaign_id = k.campaign_id
            and d.chunk_no = k.chunk_no
            and d.user_id is null
            and d.test_address is null
            and d.state = 'pending'
          limit $2
        ) d
      where k.unresolved_at < now() - $1::float8 * interval '1 s'
      order by k.unresolved_at
      limit $2
    )
    union all
    (
      select d.id
      from
        campaign_chunks k
        cross join lateral (
          select d.id
          from deliveries d
          where
            d.campaign_id = k.campaign_id
            and d.chunk_no = k.chunk_no
            and d.user_id is null
            and d.test_address is null
            and d.state = 'pending'
          limit $2
        ) d
      where k.unresolved_at >= now() - $1::float8 * interval '1 s'
      order by k.unresolved_at desc
      limit $2
    )
  )
select
  d.id,
  u.id as user_id
from
  deliveries d
  left join users u on u.application_id = d.application_id
    and u.custom_user_id = d.custom_user_id
    and u.registered_at is not null
where
  d.id = any(
    array(
      select id
      from looked
    )
  )
  and d.user_id is null
  and d.state = 'pending'
  and (
    u.id is not null
    or (
      d.created_at < now() - $1::float8 * interval '1 s'
      or (
        d.created_at > statement_timestamp() + interval '60 s'
        and (
          select k.unresolved_at < now() - $1::float8 * interval '1 s'
          from campaign_chunks k
          where
            k.campaign_id = d.campaign_id
            and k.chunk_no = d.chunk_no
        )
      )
    )
  )
order by d.id
for update of d skip locked
