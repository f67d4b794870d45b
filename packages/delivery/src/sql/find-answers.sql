select
  x.id,
  k.body_hash,
  k.answer,
  k.channel_untested
from
  unnest($1::uuid[], $2::uuid[], $3::text[]) as x(id, application_id, key)
  join idempotency_keys k on k.application_id = x.application_id
    and k.key = x.key
