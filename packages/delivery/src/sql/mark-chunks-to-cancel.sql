-- Marks each chunk that has remaining work ($2: the action). Makes chunks of $3 due: their rows may
-- be sent again, and unknown recipients looked up again.
with
  locked as (
    select k.chunk_no
    from campaign_chunks k
    where
      k.campaign_id = $1
      and (
        k.pending_action is not null
        or k.chunk_no = any($3::int[])
        or (
          k.expanded_at is null
          or exists (
            select 1
            from deliveries d
            where
              d.campaign_id = k.campaign_id
              and d.chunk_no = k.chunk_no
              and d.addressed_at is null
              and (
                d.state in ('pending', 'claimed', 'retry_wait', 'waiting')
                or d.state = 'sending'
              )
          )
          or exists (
            select 1
            from delivery_addresses d
            where
              d.campaign_id = k.campaign_id
              and d.chunk_no = k.chunk_no
              and (
                d.state in ('pending', 'claimed', 'retry_wait', 'waiting')
                or d.state = 'sending'
              )
          )
        )
      )
    order by 1
    for update of k
  )
update campaign_chunks k
set
  pending_action = case
    when (
      k.expanded_at is null
      or exists (
        select 1
        from deliveries d
        where
          d.campaign_id = k.campaign_id
          and d.chunk_no = k.chunk_no
          and d.addressed_at is null
          and (
            d.state in ('pending', 'claimed', 'retry_wait', 'waiting')
            or d.state = 'sending'
          )
      )
      or exists (
        select 1
        from delivery_addresses d
        where
          d.campaign_id = k.campaign_id
          and d.chunk_no = k.chunk_no
          and (
            d.state in ('pending', 'claimed', 'retry_wait', 'waiting')
            or d.state = 'sending'
          )
      )
    ) then $2::text
  end,
  due_at = case
    when k.chunk_no = any($3::int[]) then now()
    else k.due_at
  end,
  unresolved_at = case
    when k.chunk_no = any($3::int[]) then now()
    else k.unresolved_at
  end,
  written_at = case
    when k.written_at > statement_timestamp() + interval '60 s' then k.written_at
    else now()
  end
from locked
where
  k.campaign_id = $1
  and k.chunk_no = locked.chunk_no
