delete from marketing_sends
where
  ctid = any(
    array(
      select ctid
      from marketing_sends
      where armed_at < now() - $1::float8 * interval '1 hour'
      order by armed_at
      limit $2
      for update skip locked
    )
  )
