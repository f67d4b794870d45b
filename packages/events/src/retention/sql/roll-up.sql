-- part: delete-due-hours
delete from definition_hours t using due
where t.backend = due.backend
  and t.application_id = due.application_id
  and t.slug = due.slug
  and t.hour = due.hour
  and t.currency = due.currency
returning t.*

-- part: merge-hours(moment)
insert into definition_hours as s (
  application_id, slug, hour, currency, backend, events, revenue, last_received_at
)
select g.application_id, g.slug, moment, g.currency, 0, sum(g.events), sum(g.revenue),
  max(g.last_received_at)
from gone g
group by g.application_id, g.slug, moment, g.currency
order by g.application_id, g.slug, moment, g.currency
on conflict (application_id, slug, hour, currency, backend) do update
set events = s.events + excluded.events, revenue = s.revenue + excluded.revenue,
  last_received_at = greatest(s.last_received_at, excluded.last_received_at)

-- part: delete-due-quarters
delete from event_quarters t using due
where t.backend = due.backend
  and t.application_id = due.application_id
  and t.slug = due.slug
  and t.quarter = due.quarter
  and t.currency = due.currency
returning t.*

-- part: merge-quarters(moment)
insert into event_quarters as s (application_id, slug, quarter, currency, backend, events, revenue)
select g.application_id, g.slug, moment, g.currency, 0, sum(g.events), sum(g.revenue)
from gone g
group by g.application_id, g.slug, moment, g.currency
order by g.application_id, g.slug, moment, g.currency
on conflict (application_id, slug, quarter, currency, backend) do update
set events = s.events + excluded.events, revenue = s.revenue + excluded.revenue

-- name: merge-ingest-minutes
with due as (
  select application_id, minute, backend
  from ingest_minutes
  where backend <> 0 and minute < $1
  order by minute
  limit $2
  for update skip locked
),
gone as (
  delete from ingest_minutes t using due
  where t.backend = due.backend and t.application_id = due.application_id and t.minute = due.minute
  returning t.*
),
kept as (
  insert into ingest_minutes as s (application_id, minute, backend, requests, messages)
  select g.application_id, g.minute, 0, sum(g.requests), sum(g.messages)
  from gone g
  group by g.application_id, g.minute
  order by g.application_id, g.minute
  on conflict (application_id, minute, backend) do update
  set requests = s.requests + excluded.requests, messages = s.messages + excluded.messages
)
select count(*)::int as merged
from gone

-- name: merge-definition-hours
with due as (
  select application_id, slug, hour, currency, backend
  from definition_hours
  where backend <> 0 and hour < $1
  order by hour
  limit $2
  for update skip locked
),
gone as (
  -- include: delete-due-hours
),
kept as (
  -- include: merge-hours(g.hour)
)
select count(*)::int as merged
from gone

-- name: merge-event-quarters
-- `infinity`: events whose time is too far from their arrival for a chart. Their row never becomes
-- older than $1, so it is merged in every run.
with due as (
  select application_id, slug, quarter, currency, backend
  from event_quarters
  where backend > 0 and (quarter < $1 or quarter = 'infinity')
  order by quarter
  limit $2
  for update skip locked
),
gone as (
  -- include: delete-due-quarters
),
kept as (
  -- include: merge-quarters(g.quarter)
)
select count(*)::int as merged
from gone

-- name: roll-up-definition-hours
with due as (
  select application_id, slug, hour, currency, backend
  from definition_hours
  where backend = 0 and hour > '-infinity' and hour < $1
  order by hour
  limit $2
  for update skip locked
),
gone as (
  -- include: delete-due-hours
),
kept as (
  -- include: merge-hours('-infinity'::timestamptz)
)
select count(*)::int as merged
from gone

-- name: roll-up-event-quarters
with due as (
  select application_id, slug, quarter, currency, backend
  from event_quarters
  where backend <= 0 and quarter > '-infinity' and quarter < $1
  order by quarter
  limit $2
  for update skip locked
),
gone as (
  -- include: delete-due-quarters
),
kept as (
  -- include: merge-quarters('-infinity'::timestamptz)
)
select count(*)::int as merged
from gone
