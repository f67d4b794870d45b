with
  due as (
    select
      application_id,
      slug,
      hour,
      currency,
      backend
    from definition_hours
    where
      backend <> 0
      and hour < $1
    order by hour
    limit $2
    for update skip locked
  ),
  gone as (
    delete from definition_hours t
    using due
    where
      t.backend = due.backend
      and t.application_id = due.application_id
      and t.slug = due.slug
      and t.hour = due.hour
      and t.currency = due.currency
    returning t.*
  ),
  kept as (
    insert into definition_hours as s (
      application_id,
      slug,
      hour,
      currency,
      backend,
      events,
      revenue,
      last_received_at
    )
    select
      g.application_id,
      g.slug,
      g.hour,
      g.currency,
      0,
      sum(g.events),
      sum(g.revenue),
      max(g.last_received_at)
    from gone g
    group by
      g.application_id,
      g.slug,
      g.hour,
      g.currency
    order by
      g.application_id,
      g.slug,
      g.hour,
      g.currency
    on conflict (application_id, slug, hour, currency, backend) do update
    set
      events = s.events + excluded.events,
      revenue = s.revenue + excluded.revenue,
      last_received_at = greatest(s.last_received_at, excluded.last_received_at)
  )
select count(*)::int as merged
from gone
