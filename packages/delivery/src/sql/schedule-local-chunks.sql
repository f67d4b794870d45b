update campaign_chunks k
set
  local_time_passed = coalesce(k.local_time_passed, 0) + x.passed,
  due_at = case
    when not $4::boolean then k.due_at
    when k.due_at is not null then greatest(
      k.due_at,
      (
        select min(d.next_at)
        from deliveries d
        where
          d.campaign_id = k.campaign_id
          and d.chunk_no = k.chunk_no
          and d.state = 'pending'
          and d.user_id is not null
      )
    )
  end
from unnest($1::uuid[], $2::int[], $3::int[]) as x(campaign_id, chunk_no, passed)
where
  k.campaign_id = x.campaign_id
  and k.chunk_no = x.chunk_no
