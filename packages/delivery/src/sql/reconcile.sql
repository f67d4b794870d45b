-- name: reconcile-counters
with candidate as (
  (
    select id, recipients_unique
    from campaigns
    where id > $1 and status in ('queued', 'sending', 'paused')
    order by id
    limit $2
  )
  union (
    select id, recipients_unique
    from campaigns
    where id > $1 and id > uuidv7(- $4::float8 * interval '1 day')
    order by id
    limit $2
  )
),
sized as (
  select id, row_number() over (order by id) as position,
    sum(recipients_unique) over (order by id) as recipients
  from candidate
  order by id
  limit $2
),
chosen as materialized (
  select id from sized where position = 1 or recipients <= $3
),
counted as (
  select k.campaign_id, k.state, k.reason, sum(k.n) as n
  from chosen join campaign_counters k on k.campaign_id = chosen.id
  group by 1, 2, 3
),
-- Reads campaign by campaign through their index, however many others there are.
recounted as (
  select chosen.id as campaign_id, d.state, d.reason, d.n
  from chosen
    cross join lateral (
      select k.state, k.reason, count(*) as n
      from deliveries d
        cross join lateral (
          select -- include: state-group(d.state) as state,
            -- include: counted-reason(d.state, d.reason)
            as reason
          union all
          select 'complained', ''
          where d.complained_at is not null
          union all
          select 'unsubscribed', ''
          where d.unsubscribed_at is not null
        ) k
      where d.campaign_id = chosen.id
      group by 1, 2
    ) d
),
different as (
  select campaign_id, state, reason, coalesce(c.n, 0)::float8 as counted,
    coalesce(r.n, 0)::float8 as recounted
  from counted c full join recounted r using (campaign_id, state, reason)
  where coalesce(c.n, 0) <> coalesce(r.n, 0)
)
select looked.*, d.campaign_id, d.state, d.reason, d.counted, d.recounted
from (
  select count(*)::int as campaigns, (select id from chosen order by id desc limit 1) as last_id
  from chosen
) looked
  left join different d on true
order by d.campaign_id, d.state, d.reason
