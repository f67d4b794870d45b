delete from message_keys k
using unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[]) as w(
  application_id,
  message_id,
  request_id,
  message_index
)
where
  k.application_id = w.application_id
  and k.message_id = w.message_id
  and k.request_id = w.request_id
  and k.message_index = w.message_index
