update dead_letters
set
  status = 'replaying',
  updated_at = now()
where
  id = $1
  and (
    application_id = $2
    or (
      $3
      and application_id is null
    )
  )
  and status in ('waiting', 'replaying')
returning
  id,
  consumer,
  request_id,
  topic,
  partition,
  record_offset,
  error_class,
  sql_state,
  status,
  replays,
  created_at,
  updated_at,
  coalesce(octet_length(value), 0) as size,
  record_key,
  value,
  headers
