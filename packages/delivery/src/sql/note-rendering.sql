update campaign_chunks k
set renderings = least(k.renderings + x.count, 1000)
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
returning
  k.campaign_id,
  k.chunk_no,
  k.renderings - x.count::int as count,
  k.rendered_rows
