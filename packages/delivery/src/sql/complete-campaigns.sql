with
  settled as (
    select
      c.id,
      c.retried_at
    from campaigns c
    where
      c.status in ('sending')
      and c.lane <> 'scheduled'
      and c.expanded_at is not null
      and not exists (
        select 1
        from campaign_chunks k
        where
          k.campaign_id = c.id
          and k.pending_action is not null
      )
      and not (
        c.channel in ('WEB_PUSH', 'APP_PUSH')
        and exists (
          select 1
          from campaign_chunks k
          where
            k.campaign_id = c.id
            and k.due_at is not null
            and exists (
              select 1
              from delivery_addresses d
              where
                d.campaign_id = k.campaign_id
                and d.chunk_no = k.chunk_no
                and d.state in ('pending', 'retry_wait', 'claimed', 'sending')
            )
        )
      )
      and (
        select coalesce(sum(k.n), 0)
        from campaign_counters k
        where
          k.campaign_id = c.id
          and k.state = 'pending'
      ) = 0
    order by c.id
    limit 100
  ),
  timed as (
    select
      s.id,
      s.retried_at,
      (
        select
          percentile_disc(array[0.5, 0.95]) within group (
            order by
              extract(
                epoch
                from d.sent_at - greatest(c.created_at, c.send_at)
              ) * 1000
          )
        from deliveries d
        where
          d.campaign_id = s.id
          and c.send_at_local is null
          and d.sent_at is not null
      ) as percentiles
    from
      settled s
      join campaigns c on c.id = s.id
  ),
  completed as (
    update campaigns c
    set
      status = 'completed',
      completed_at = now(),
      p50_ms = percentiles[1]::bigint,
      p95_ms = percentiles[2]::bigint
    from timed
    where
      c.id = timed.id
      and c.status in ('sending')
      and c.retried_at is not distinct from timed.retried_at
    returning c.id
  )
insert into campaign_events (campaign_id, type, detail)
select
  id,
  'campaign.completed',
  null::text
from completed
