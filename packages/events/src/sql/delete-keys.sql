delete from duplicate_keys k
using unnest($1::uuid[], $2::uuid[], $3::int[]) as w(id_key, request_id, message_index)
where
  k.id_key = w.id_key
  and k.request_id = w.request_id
  and k.message_index = w.message_index
