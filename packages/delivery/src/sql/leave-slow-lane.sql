delete from slow_snapshots s
where
  not exists (
    select 1
    from campaigns c
    where
      c.id = s.campaign_id
      and c.lane = 'snapshot'
      and c.status = 'queued'
  )
