update campaign_chunks k
set renderings = greatest(k.renderings - x.count, 0)
from
  (
    select
      campaign_id,
      chunk_no,
      count(*) as count
    from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
    group by
      1,
      2
    order by
      1,
      2
  ) x
where
  k.campaign_id = x.campaign_id
  and k.chunk_no = x.chunk_no
