-- Checks chunks with marked rows every 30 s while their campaign is active: a marking that started
-- before a check may commit after it.
with
  ended as (
    select
      k.campaign_id,
      k.chunk_no
    from campaign_chunks k
    where k.leased_until < now()
    order by
      1,
      2
    limit $1
    for update skip locked
  )
update campaign_chunks k
set
  leased_until = least(
    (
      select min(d.lease_until)
      from deliveries d
      where
        d.campaign_id = k.campaign_id
        and d.chunk_no = k.chunk_no
        and d.state = 'sending'
    ),
    case
      when c.channel in ('WEB_PUSH', 'APP_PUSH') then (
        select min(d.lease_until)
        from delivery_addresses d
        where
          d.campaign_id = k.campaign_id
          and d.chunk_no = k.chunk_no
          and d.state in ('pending', 'retry_wait', 'claimed', 'sending')
          and d.state = 'sending'
      )
    end,
    case
      when k.pending_action is not null
        or (
          k.due_at is not null
          and c.status in ('sending', 'paused')
        ) then now() + 30 * interval '1 s'
    end
  ),
  written_at = case
    when k.written_at > statement_timestamp() + interval '60 s' then k.written_at
    else now()
  end
from
  ended e
  join campaigns c on c.id = e.campaign_id
where
  k.campaign_id = e.campaign_id
  and k.chunk_no = e.chunk_no
