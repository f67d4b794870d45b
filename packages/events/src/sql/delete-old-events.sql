delete from events e
using (
  select
    request_id,
    message_index,
    received_at
  from events
  where
    application_id = $1
    and received_at < $2
  order by received_at
  limit $3
) due
where
  e.request_id = due.request_id
  and e.message_index = due.message_index
  and e.received_at = due.received_at
