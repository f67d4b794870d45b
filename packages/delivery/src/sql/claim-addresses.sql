-- name: claim-addresses
with -- include: chunks-to-claim,
due as (
  select row.*
  from chunk
    cross join lateral (
      select d.delivery_id, d.address_no, d.campaign_id, d.chunk_no
      from delivery_addresses d
      where d.campaign_id = chunk.campaign_id
        and d.chunk_no = chunk.chunk_no
        and -- include: claimable(d)
      order by d.delivery_id, d.address_no
      limit $5
      for update of d skip locked
    ) row
),
whole as (
  select row.*
  from chunk
    cross join lateral (
      select d.id, d.campaign_id, d.chunk_no, d.user_id, d.fence, d.device_id
      from deliveries d
      where d.campaign_id = chunk.campaign_id
        and d.chunk_no = chunk.chunk_no
        and d.addressed_at is null
        and -- include: claimable(d)
        and -- include: has-recipient(d)
      order by d.id
      limit $5
      for update of d skip locked
    ) row
),
found as (
  select *,
    count(*) over (
      partition by campaign_id, chunk_no
      order by id groups between unbounded preceding and 1 preceding
    ) as rows_before
  from (
    select w.id, w.campaign_id, w.chunk_no, w.fence,
      coalesce(w.device_id, v.device_id) as device_id, v.address, v.time_zone,
      row_number() over (
        partition by w.campaign_id, w.chunk_no, w.id order by v.seen_at desc, v.device_id
      ) - 1 as address_no,
      least(count(*) over (partition by w.campaign_id, w.chunk_no, w.id), 20) as addresses
    from whole w
      left join devices v on v.address is not null
        and -- include: people/proves(v, w.user_id)
        and v.kind = $6
        and (w.device_id is null or v.device_id = w.device_id)
  ) f
  where f.address_no < 20
),
begun as (
  select f.*
  from found f
  where f.rows_before + (
      select count(*) from due where due.campaign_id = f.campaign_id and due.chunk_no = f.chunk_no
    ) < $5
),
claimed_whole as (
  update deliveries d
  set state = 'claimed', fence = d.fence + 1, owner = $3,
    lease_until = now() + $4::float8 * interval '1 ms', device_id = b.device_id, updated_at = now()
  from begun b
  where b.addresses = 1 and d.id = b.id
  returning d.*, b.address, b.time_zone
),
addressed as (
  update deliveries d
  set addressed_at = now(), state = 'pending', owner = null, lease_until = null, updated_at = now()
  from (select distinct id from begun where addresses > 1) b
  where d.id = b.id
  returning d.*
),
written as (
  insert into delivery_addresses (
    delivery_id, address_no, campaign_id, chunk_no, device_id, state, fence, owner, lease_until
  )
  select id, address_no, campaign_id, chunk_no, device_id, 'claimed', fence + 1, $3,
    now() + $4::float8 * interval '1 ms'
  from begun
  where addresses > 1
  returning *
),
again as (
  update delivery_addresses d
  set state = 'claimed', fence = d.fence + 1, owner = $3,
    lease_until = now() + $4::float8 * interval '1 ms', updated_at = now()
  from due
  where d.delivery_id = due.delivery_id and d.address_no = due.address_no
  returning d.*
),
claimed as (
  select d.id, null::smallint as address_no, d.device_id, d.address, d.time_zone, d.fence,
    d.attempts, d.doubts, d.campaign_id, d.chunk_no, d.user_id, d.custom_user_id, d.test_address,
    d.created_at
  from claimed_whole d
  union all
  select d.id, x.address_no, x.device_id, b.address, b.time_zone, x.fence, x.attempts, x.doubts,
    d.campaign_id, d.chunk_no, d.user_id, d.custom_user_id, d.test_address, d.created_at
  from written x
    join begun b on b.id = x.delivery_id and b.address_no = x.address_no
    join addressed d on d.id = x.delivery_id
  union all
  select d.id, x.address_no, x.device_id, v.address, v.time_zone, x.fence, x.attempts, x.doubts,
    d.campaign_id, d.chunk_no, d.user_id, d.custom_user_id, d.test_address, d.created_at
  from again x
    join deliveries d on d.id = x.delivery_id
    left join devices v on v.application_id = d.application_id
      and v.device_id = x.device_id
      and v.kind = $6
      and v.address is not null
      and -- include: people/proves(v, d.user_id)
)
select x.id, x.campaign_id, x.chunk_no, x.address_no, x.fence, x.device_id, x.address,
  x.custom_user_id, x.attempts, x.doubts, x.test_address,
  case chunk.purpose
    when 'marketing' then (
      select left(
        coalesce(
          -- include: people/own-time-zone(u),
          x.time_zone
        ),
        64
      )
      from users u
      where u.id = x.user_id
    )
  end as time_zone,
  chunk.settings_version,
  (extract(epoch from now() - greatest(x.created_at, chunk.retried_at)) * 1000)::float8 as age_ms
from claimed x join chunk on chunk.campaign_id = x.campaign_id and chunk.chunk_no = x.chunk_no
order by x.id, x.address_no
