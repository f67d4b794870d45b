-- name: bulk-campaigns-to-expand
-- The next of each application. Those with a local time, and those that hold recipients back, are
-- not known to the version before.
(
  select distinct on (application_id) id
  from campaigns
  where lane = 'bulk'
    and status in ('queued', 'sending')
    and expanded_at is null
    and id <> all($1::uuid[])
  order by application_id, id
)
union all (
  select distinct on (application_id) id
  from campaigns
  where lane = 'local'
    and status in ('queued', 'sending')
    and expanded_at is null
    and id <> all($1::uuid[])
  order by application_id, id
)
union all (
  select distinct on (application_id) id
  from campaigns
  where winner is not null
    and lane = 'trial'
    and status in ('queued', 'sending')
    and expanded_at is null
    and id <> all($1::uuid[])
  order by application_id, id
)

-- name: due-bulk-chunks
select a.application_id, a.channel, 'bulk' as lane, due.*
from (
  select distinct application_id, channel
  from campaigns
  where lane = 'bulk' and status = 'sending' and expires_at > now()
) a
  cross join lateral (
    select k.campaign_id, k.chunk_no, k.announced_partition, k.announced_offset
    from campaigns c
      cross join lateral (
        select k.*
        from campaign_chunks k
        where k.campaign_id = c.id and k.lane = 'bulk' and k.due_at <= now()
        order by k.due_at, k.chunk_no
        limit $1
      ) k
    where c.lane = 'bulk'
      and c.status = 'sending'
      and c.expires_at > now()
      and c.application_id = a.application_id
      and c.channel = a.channel
    order by k.due_at, k.campaign_id, k.chunk_no
    limit $1
  ) due
