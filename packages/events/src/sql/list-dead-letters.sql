(
  select
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
  from dead_letters
  where
    application_id = $1
    and (
      $2::text is null
      or status = $2
    )
    and (
      $3::uuid is null
      or id < $3
    )
  order by id desc
  limit $4
)
union all
(
  select
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
  from dead_letters
  where
    application_id is null
    and $5
    and (
      $2::text is null
      or status = $2
    )
    and (
      $3::uuid is null
      or id < $3
    )
  order by id desc
  limit $4
)
order by id desc
limit $4
