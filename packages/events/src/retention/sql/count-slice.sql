insert into event_quarters as q (application_id, slug, quarter, currency, backend, events, revenue)
select
  application_id,
  slug,
  event_quarter(time, received_at),
  coalesce(currency, ''),
  0,
  count(*),
  coalesce(sum(revenue::numeric), 0)
from events
where
  application_id = $1
  and received_at >= $2::timestamptz
  and received_at < $3::timestamptz
  and not is_counted_by_time
group by
  1,
  2,
  3,
  4
order by
  1,
  2,
  3,
  4
on conflict (application_id, slug, quarter, currency, backend) do update
set
  events = q.events + excluded.events,
  revenue = q.revenue + excluded.revenue
