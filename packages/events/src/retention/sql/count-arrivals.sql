insert into event_quarters (application_id, slug, quarter, currency, backend, events, revenue)
select
  application_id,
  slug,
  hour,
  currency,
  -1,
  sum(events),
  sum(revenue)
from definition_hours
where
  application_id = $1
  and slug = $2
  and hour > '-infinity'
  and hour < (
    select arrivals_before
    from event_recounts
    where application_id = $1
  )
group by
  application_id,
  slug,
  hour,
  currency
order by
  application_id,
  slug,
  hour,
  currency
