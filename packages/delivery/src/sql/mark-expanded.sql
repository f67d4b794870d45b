update campaigns
set
  expanded_at = now(),
  lane = case lane
    when 'local' then 'bulk'
    else lane
  end
where
  id = $1
  and expanded_at is null
  and not exists (
    select 1
    from campaign_chunks
    where
      campaign_id = $1
      and expanded_at is null
  )
