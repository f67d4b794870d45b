-- part: unknown-of-chunk(k, most)
select d.id
from deliveries d
where d.campaign_id = k.campaign_id
  and d.chunk_no = k.chunk_no
  and d.user_id is null
  and d.test_address is null
  and d.state = 'pending'
limit most

-- name: find-unknown-recipients
-- Reads chunk by chunk through their index, independent of statistics; $2 is more than a chunk has.
-- For deliveries created while Postgres' clock was ahead, the chunk has the start of the lookup.
with looked as materialized (
  (
    select d.id
    from campaign_chunks k
      cross join lateral (
        -- include: unknown-of-chunk(k, $2)
      ) d
    where k.unresolved_at < now() - $1::float8 * interval '1 s'
    order by k.unresolved_at
    limit $2
  )
  union all (
    select d.id
    from campaign_chunks k
      cross join lateral (
        -- include: unknown-of-chunk(k, $2)
      ) d
    where k.unresolved_at >= now() - $1::float8 * interval '1 s'
    order by k.unresolved_at desc
    limit $2
  )
)
select d.id, u.id as user_id
from deliveries d
  left join users u on u.application_id = d.application_id
    and u.custom_user_id = d.custom_user_id
    and u.registered_at is not null
where d.id = any(array(select id from looked))
  and d.user_id is null
  and d.state = 'pending'
  and (
    u.id is not null
    or (
      d.created_at < now() - $1::float8 * interval '1 s'
      or (
        -- include: postgres/written-ahead(d.created_at)
        and (
          select k.unresolved_at < now() - $1::float8 * interval '1 s'
          from campaign_chunks k
          where k.campaign_id = d.campaign_id and k.chunk_no = d.chunk_no
        )
      )
    )
  )
order by d.id
for update of d skip locked

-- name: set-recipients-found
update deliveries d
set user_id = x.user_id, next_at = now(), updated_at = now()
from unnest($1::uuid[], $2::uuid[]) as x(id, user_id)
where d.id = x.id
returning d.id, d.campaign_id, d.chunk_no,
  (
    select -- include: accounts/channel-sends(s, a)
    from applications a
      left join channel_settings s on s.application_id = a.id and s.channel = d.channel
    where a.id = d.application_id
  ) as is_ready,
  (select c.send_at_local is not null from campaigns c where c.id = d.campaign_id) as is_local,
  (select c.heard <> '{}' from campaigns c where c.id = d.campaign_id) as is_heard

-- name: end-recipient-lookup
with over as (
  select k.campaign_id, k.chunk_no
  from campaign_chunks k
  where k.unresolved_at < now() - $1::float8 * interval '1 s'
    and (
      -- include: unknown-of-chunk(k, 1)
    ) is null
  order by 1, 2
  limit $2
  for update of k skip locked
)
update campaign_chunks k
set unresolved_at = null
from over o
where k.campaign_id = o.campaign_id and k.chunk_no = o.chunk_no
