with
  woken as (
    select chunk_no
    from campaign_chunks
    where
      campaign_id = $1
      and due_at is not null
    order by 1
    for update
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
  k.campaign_id = $1
  and k.chunk_no = w.chunk_no
