-- part: as-double(total)
-- In the range of a double, as JSON requires.
least(greatest(total, -1.7e308), 1.7e308)::float8

-- part: quarters(is_counted)
-- The sums of a period, $3 to $4, plus events outside all periods. Two key ranges: with `or`
-- Postgres would read them as one.
select quarter, currency, backend, events, revenue
from event_quarters
where application_id = $1 and is_counted and quarter >= $3 and quarter < $4
union all
select quarter, currency, backend, events, revenue
from event_quarters
where application_id = $1 and is_counted and quarter = 'infinity'

-- part: sums-of-points(q)
case when q.quarter < 'infinity' then width_bucket(q.quarter, $5::timestamptz[]) end as point,
q.currency, sum(q.events)::float8 as events,
-- include: as-double(sum(q.revenue)) as revenue,
coalesce(sum(q.events) filter (where q.backend = -1), 0)::float8 as by_arrival

-- name: read-chart-of-definitions
-- Of definition $2 with merged ones, or of all. Joined laterally, so that each slug is one range of
-- the primary key.
select -- include: sums-of-points(q)
from (
  select slug
  from definitions
  where application_id = $1 and ($2::text is null or slug = $2 or merged_into = $2)
) as d
  cross join lateral (
    -- include: quarters(slug = d.slug)
  ) as q
group by 1, 2
order by 1, 2

-- name: read-chart-of-revenue
select -- include: sums-of-points(q)
from (
  -- include: quarters(currency <> '' and $2::text is null)
) as q
group by 1, 2
order by 1, 2

-- name: read-counted-from
select case
    when before > '-infinity' then least(before, trigger_at)
    else arrivals_before
  end as counted_from
from event_recounts
where application_id = $1 and (before > '-infinity' or arrivals_before is not null)

-- name: read-revenue
select currency, sum(events)::float8 as events,
  -- include: as-double(sum(revenue)) as revenue
from event_quarters
where application_id = $1 and quarter >= $2 and quarter < $3 and currency <> ''
group by currency
order by 2 desc, 1
