-- name: measure-backlog
-- A campaign stalls while a recipient of it is due and none gets an outcome. Recipients held by a
-- policy, and those that wait for a retry, are due at the end of that wait. Rows are read only of
-- campaigns without an outcome for a minute, and of chunks due within ten minutes. A campaign to a
-- segment has no recipients before they are read; until then all of them are due, except in the
-- slow lane.
select c.channel, sum(progress.open)::float8 as recipients,
  coalesce(
    max(extract(epoch from now() - greatest(stalled.due_at, progress.last_at))) filter (
      where stalled.due_at is not null
    ),
    0
  )::float8 as "stalledSeconds"
from campaigns c
  cross join lateral (
    select case
        when c.expanded_at is null then c.recipients_unique
        else coalesce(sum(k.n) filter (where k.state = 'pending'), 0)
      end as open,
      max(k.last_at) filter (where k.state <> 'pending') as last_at
    from campaign_counters k
    where k.campaign_id = c.id
  ) progress
  left join lateral (
    select greatest(c.created_at, c.send_at) as due_at
    where c.expanded_at is null
      and greatest(c.created_at, c.send_at, progress.last_at) < now() - interval '1 min'
      and (c.lane <> 'snapshot' or c.snapshot_slow_at is null)
    union all
    select min(row.due_at)
    from (
      select k.chunk_no
      from campaign_chunks k
      where k.campaign_id = c.id
        and k.due_at < now() + interval '10 min'
        and greatest(c.created_at, c.send_at, progress.last_at) < now() - interval '1 min'
      order by k.due_at
      limit 5
    ) chunk
      cross join lateral (
        select case when d.state = 'claimed' then d.lease_until else d.next_at end as due_at
        from deliveries d
        where d.campaign_id = c.id
          and d.chunk_no = chunk.chunk_no
          and d.state in ('pending', 'retry_wait', 'claimed')
          and d.addressed_at is null
          and -- include: delivery/has-recipient(d)
        union all
        select case when a.state = 'claimed' then a.lease_until else a.next_at end
        from delivery_addresses a
        where a.campaign_id = c.id
          and a.chunk_no = chunk.chunk_no
          and a.state in ('pending', 'retry_wait', 'claimed')
      ) row
    where c.expanded_at is not null and row.due_at <= now()
    having min(row.due_at) is not null
  ) stalled on true
where c.status in ('queued', 'sending')
  and c.lane <> 'scheduled'
  and (progress.open > 0 or c.lane = 'snapshot')
group by c.channel
