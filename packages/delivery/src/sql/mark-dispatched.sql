with
  dispatched as (
    select
      k.campaign_id,
      k.chunk_no,
      x.partition,
      x.record_offset
    from
      campaign_chunks k
      join unnest($1::uuid[], $2::int[], $3::int[], $4::bigint[])
        as x(campaign_id, chunk_no, partition, record_offset)
        on k.campaign_id = x.campaign_id
        and k.chunk_no = x.chunk_no
    order by
      1,
      2
    for update of k
  )
update campaign_chunks k
set
  announced_partition = a.partition,
  announced_offset = a.record_offset
from dispatched a
where
  k.campaign_id = a.campaign_id
  and k.chunk_no = a.chunk_no
