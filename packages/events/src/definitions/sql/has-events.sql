select
  exists (
    select
    from
      (
        select
          hour,
          max(last_received_at) as last_at
        from definition_hours
        where
          application_id = $1
          and slug = $2
        group by hour
      ) h
      cross join lateral (
        select
        from events e
        where
          e.application_id = $1
          and e.received_at >= h.hour
          and e.received_at <= h.last_at
          and e.slug = $2
        limit 1
      ) found
  ) as has_events
