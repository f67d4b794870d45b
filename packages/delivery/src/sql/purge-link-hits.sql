delete from link_visits
where
  ctid in (
    select ctid
    from link_visits
    where decided_at < now() - $1::float8 * interval '1 ms'
    limit $2
  )
