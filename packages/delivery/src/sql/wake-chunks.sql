with
  woken as (
    select
      k.campaign_id,
      k.chunk_no
    from
      campaign_chunks k
      join unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
        on k.campaign_id = x.campaign_id
        and k.chunk_no = x.chunk_no
    order by
      1,
      2
    for update of k
  )
update campaign_chunks k
set
  due_at = now(),
  written_at = case
    when k.written_at > statement_timestamp() + interval '60 s' then k.written_at
    else now()
  end
from woken w
where
  k.campaign_id = w.campaign_id
  and k.chunk_no = w.chunk_no
