delete from events e
using unnest($1::uuid[], $2::int[], $3::timestamptz[]) as h(request_id, message_index, received_at)
where
  e.request_id = h.request_id
  and e.message_index = h.message_index
  and e.received_at = h.received_at
