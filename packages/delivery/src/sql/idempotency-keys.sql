-- name: find-answers
select x.id, k.body_hash, k.answer, k.channel_untested
from unnest($1::uuid[], $2::uuid[], $3::text[]) as x(id, application_id, key)
  join idempotency_keys k on k.application_id = x.application_id and k.key = x.key

-- name: purge-idempotency-keys
delete from idempotency_keys
where ctid = any(
    array(
      select ctid
      from idempotency_keys
      where created_at < now() - $1::float8 * interval '1 day'
      order by created_at
      limit $2
      for update skip locked
    )
  )
