select
  exists (
    select 1
    from campaigns
    where
      id = $1
      and lane = 'snapshot'
      and status = 'queued'
      and expires_at > now()
  ) as is_awaiting
