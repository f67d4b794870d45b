delete from daily_sends
where
  ctid = any(
    array(
      select ctid
      from daily_sends
      where day < to_char(now() - $1::int * interval '1 day', 'YYYY-MM-DD')
      limit $2
      for update skip locked
    )
  )
