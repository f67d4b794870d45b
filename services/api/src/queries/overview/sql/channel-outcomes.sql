-- name: read-channel-outcomes
with recent as materialized (
  select id, channel, created_at
  from campaigns
  where application_id = $1 and source <> 'test' and id >= $2
  order by id desc
  limit $3
),
looked as (
  select count(*)::int as campaigns, min(created_at) as oldest from recent
),
counted as (
  select r.channel,
    case
      when c.state in -- include: delivery/success-states
      then 'successful'
      else c.state
    end as "group",
    sum(c.n)::float8 as n,
    coalesce(
      sum(c.n) filter (
        where c.state = 'failed'
          and c.reason in -- include: unreachable-reasons
      ),
      0
    )::float8 as not_reachable
  from recent r
    cross join lateral (
      select state, reason, n from campaign_counters where campaign_id = r.id offset 0
    ) as c
  where c.state not in -- include: delivery/counted-notes
  group by 1, 2
)
select counted.channel, counted."group", counted.n, counted.not_reachable, looked.campaigns,
  looked.oldest
from looked left join counted on true
