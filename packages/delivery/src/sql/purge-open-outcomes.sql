-- No provider is polled after 24 hours.
delete from open_outcomes
where
  delivery_id = any(
    array(
      select delivery_id
      from open_outcomes
      where since < now() - 24 * interval '1 hour'
      order by since
      limit $1
      for update skip locked
    )
  )
