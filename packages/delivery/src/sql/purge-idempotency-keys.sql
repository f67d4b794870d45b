delete from idempotency_keys
where
  ctid = any(
    array(
      select ctid
      from idempotency_keys
      where created_at < now() - $1::float8 * interval '1 day'
      order by created_at
      limit $2
      for update skip locked
    )
  )
