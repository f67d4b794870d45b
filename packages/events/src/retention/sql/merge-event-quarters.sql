-- `infinity`: events whose time is too far from their arrival for a chart. Their row never becomes
-- older than $1, so it is merged in every run.
with
  due as (
    select
      application_id,
      slug,
      quarter,
      currency,
      backend
    from event_quarters
    where
      backend > 0
      and (
        quarter < $1
        or quarter = 'infinity'
      )
    order by quarter
    limit $2
    for update skip locked
  ),
  gone as (
    delete from event_quarters t
    using due
    where
      t.backend = due.backend
      and t.application_id = due.application_id
      and t.slug = due.slug
      and t.quarter = due.quarter
      and t.currency = due.currency
    returning t.*
  ),
  kept as (
    insert into
      event_quarters as s (application_id, slug, quarter, currency, backend, events, revenue)
    select
      g.application_id,
      g.slug,
      g.quarter,
      g.currency,
      0,
      sum(g.events),
      sum(g.revenue)
    from gone g
    group by
      g.application_id,
      g.slug,
      g.quarter,
      g.currency
    order by
      g.application_id,
      g.slug,
      g.quarter,
      g.currency
    on conflict (application_id, slug, quarter, currency, backend) do update
    set
      events = s.events + excluded.events,
      revenue = s.revenue + excluded.revenue
  )
select count(*)::int as merged
from gone
