-- name: read-first-steps
select exists (
    select
    from api_keys
    where application_id = $1 and type = 'server' and revoked_at is null
  ) as "hasKey",
  exists (select from definition_hours where application_id = $1) as "hasEvent",
  exists (
    select from users where application_id = $1 and registered_at is not null
  ) as "hasUser",
  exists (
    select
    from channel_settings s
    where s.application_id = $1
      and -- include: accounts/is-ready(s)
  ) as "hasReadyChannel",
  exists (select from campaigns where application_id = $1 and source <> 'test') as "hasCampaign"

-- name: read-delivery-backlog
with at_work as materialized (
  select id, recipients_unique, open_until, greatest(created_at, send_at) as begun_at
  from campaigns
  where application_id = $1
    and status in ('queued', 'sending', 'paused')
    and lane <> 'scheduled'
    and source <> 'test'
  limit $2
)
select count(*)::int as campaigns,
  -- An open campaign may be older than all that it has to do.
  min(
    coalesce(
      (
        select min(d.created_at)
        from campaign_chunks k
          join deliveries d on d.campaign_id = k.campaign_id and d.chunk_no = k.chunk_no
        where w.open_until is not null
          and k.campaign_id = w.id
          and k.due_at is not null
          and d.state in -- include: delivery/pending-states
      ),
      w.begun_at
    )
  ) as since,
  coalesce(sum(w.recipients_unique - c.settled), 0)::float8 as deliveries
from at_work w
  cross join lateral (
    select coalesce(sum(n), 0) as settled
    from campaign_counters
    where campaign_id = w.id
      and state <> 'pending'
      and state not in -- include: delivery/counted-notes
  ) as c
where w.open_until is null or w.recipients_unique > c.settled
