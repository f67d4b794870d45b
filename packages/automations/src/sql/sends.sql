-- name: read-trigger-events
select r.id as run_id,
  -- include: events/event-columns(e, d)
from automation_runs r
  join events e on e.request_id = r.trigger_request
    and e.message_index = r.trigger_index
    and e.received_at = r.trigger_received_at
  -- include: events/current-definition(e, d)
where r.id = any($1::uuid[])
