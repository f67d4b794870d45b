delete from provider_ids
where
  provider_id = any(
    array(
      select provider_id
      from provider_ids
      where known_at < now() - $1 * interval '1 day'
      limit $2
      for update skip locked
    )
  )
