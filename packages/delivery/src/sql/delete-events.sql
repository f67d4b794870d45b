delete from campaign_events
where
  seq = any(
    array(
      select seq
      from campaign_events
      where campaign_id = any($1)
      order by
        campaign_id,
        seq
      limit $2
    )
  )
