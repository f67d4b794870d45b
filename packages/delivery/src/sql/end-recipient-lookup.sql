with
  over as (
    select
      k.campaign_id,
      k.chunk_no
    from campaign_chunks k
    where
      k.unresolved_at < now() - $1::float8 * interval '1 s'
      and (
        select d.id
        from deliveries d
        where
          d.campaign_id = k.campaign_id
          and d.chunk_no = k.chunk_no
          and d.user_id is null
          and d.test_address is null
          and d.state = 'pending'
        limit 1
      ) is null
    order by
      1,
      2
    limit $2
    for update of k skip locked
  )
update campaign_chunks k
set unresolved_at = null
from over o
where
  k.campaign_id = o.campaign_id
  and k.chunk_no = o.chunk_no
