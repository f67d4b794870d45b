update dead_letters
set
  status = 'discarded',
  updated_at = now(),
  record_key = null,
  headers = '{}',
  value = null
where
  id = $1
  and (
    application_id = $2
    or (
      $3
      and application_id is null
    )
  )
  and status = 'waiting'
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
  coalesce(octet_length(value), 0) as size
