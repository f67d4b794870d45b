-- name: read-trigger-events
select r.id as run_id, d.name, e.time::text as time, e.attributes::text as attributes, e.revenue,
  e.currency
from automation_runs r
  join events e on e.request_id = r.trigger_request
    and e.message_index = r.trigger_index
    and e.received_at = r.trigger_received_at
  join definitions d on d.application_id = e.application_id and d.slug = e.slug
where r.id = any($1::uuid[])
