-- name: start-campaign
with started as (
  update campaigns
  set status = 'sending', started_at = now()
  where id = $1 and status in ('queued')
  returning id
),
log as (
  insert into campaign_events (campaign_id, type, detail)
  select id, 'campaign.started', null::text
  from started
)
select status
from campaigns
where id = $1 and expanded_at is null and status in ('queued', 'sending')

-- name: share-campaign-in-sending
select 1 from campaigns where id = $1 and status = 'sending' for share

-- name: lock-next-chunks-to-expand
select chunk_no
from campaign_chunks
where campaign_id = $1 and expanded_at is null
order by chunk_no
limit $2
for update skip locked

-- name: lock-chunks-to-expand-as-canceled
select k.chunk_no
from campaign_chunks k join campaigns c on c.id = k.campaign_id and c.status = 'canceled'
where k.campaign_id = $1 and k.chunk_no = any($2) and k.expanded_at is null
order by 1
for update of k skip locked

-- name: lock-small-campaigns
select c.id
from campaigns c
  join (
    select id,
      sum(recipients_unique) over (order by recipients_unique, id) - recipients_unique as before
    from campaigns
    where id = any($1)
      and lane = 'express'
      and status in ('queued', 'sending')
      and expanded_at is null
  ) sized on sized.id = c.id
where sized.before < $2 and c.status in ('queued', 'sending') and c.expanded_at is null
order by c.id
for update of c skip locked

-- name: start-campaigns
with started as (
  update campaigns
  set status = 'sending', started_at = now()
  where id = any($1) and status in ('queued')
  returning id
)
insert into campaign_events (campaign_id, type, detail)
select id, 'campaign.started', null::text
from started

-- name: lock-chunks-of-small-campaigns
select campaign_id, chunk_no
from campaign_chunks
where campaign_id = any($1) and expanded_at is null
order by 1, 2
for update

-- name: mark-small-campaigns-expanded
update campaigns set expanded_at = now() where id = any($1)

-- part: expanded-chunks
-- Turns the chunks ($1, $2) into deliveries, `made`. Counters of shard $3; express chunks are due
-- in $4 seconds.
chosen as (
  select * from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
),
campaign as (
  select c.id, c.application_id, c.channel, c.lane, c.send_at_local, c.source = 'test' as is_test,
    c.source = 'test'
      or -- include: accounts/channel-sends(s, a) as is_ready,
    c.status = 'canceled' as is_canceled,
    case when -- include: is-undecided(c)
      then (c.winner ->> 'percent')::int
    end as percent
  from campaigns c
    join applications a on a.id = c.application_id
    left join channel_settings s on s.application_id = c.application_id and s.channel = c.channel
  where c.id = any($1)
),
made as (
  insert into deliveries (
    campaign_id, chunk_no, application_id, channel, custom_user_id, user_id, test_address, state,
    reason
  )
  select c.id, k.chunk_no, c.application_id, c.channel, r.value, u.id,
    case when c.is_test then r.value end,
    case
      when c.is_canceled then 'canceled'
      when not c.is_ready and u.id is not null then 'failed'
      else 'pending'
    end,
    case
      when not c.is_canceled and not c.is_ready and u.id is not null then 'channel_not_configured'
    end
  from campaign c
    join chosen x on x.campaign_id = c.id
    join campaign_chunks k on k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no
    cross join lateral jsonb_array_elements_text(k.recipients) with ordinality as r
    left join users u on not c.is_test
      and u.application_id = c.application_id
      and u.custom_user_id = r.value
      and u.registered_at is not null
  where c.percent is null
    or -- include: in-trial(c.id, r.value, c.percent)
  order by c.id, k.chunk_no, r.ordinality
  on conflict (campaign_id, custom_user_id) do nothing
  returning id, campaign_id, chunk_no, custom_user_id, state, reason, user_id, test_address
),
deltas as (
  select campaign_id,
    -- include: state-group(state) as state,
    -- include: counted-reason(state, reason) as reason,
    1 as n
  from made
),
counted as (
  -- include: count-deltas($3)
),
logged as (
  insert into campaign_events (campaign_id, type, delivery_id, status, reason)
  select campaign_id, 'delivery.' || state, id, state, reason
  from made
  where state <> 'pending'
),
sendable as (
  select distinct campaign_id, chunk_no
  from made
  where state = 'pending' and (user_id is not null or test_address is not null)
),
unresolved as (
  select distinct campaign_id, chunk_no
  from made
  where state = 'pending' and user_id is null and test_address is null
),
emptied as (
  update campaign_chunks k
  set expanded_at = now(),
    -- Those whose templates went first may be left to cancel.
    pending_action = case
      when k.pending_action is not null
        and exists (
          select 1
          from deliveries d
          where d.campaign_id = k.campaign_id
            and d.chunk_no = k.chunk_no
            and -- include: is-unfinished(d)
        )
        then k.pending_action
    end,
    -- Who is held back stays in the list.
    recipients = case
      when c.percent is not null then (
        select jsonb_agg(r.value)
        from jsonb_array_elements_text(k.recipients) as r
        where not -- include: in-trial(c.id, r.value, c.percent)
      )
    end,
    -- include: written-now(k),
    unresolved_at = case
      when exists (
        select 1 from unresolved u where u.campaign_id = k.campaign_id and u.chunk_no = k.chunk_no
      ) then now()
      else k.unresolved_at
    end,
    due_at = case
      when exists (
        select 1 from sendable s where s.campaign_id = k.campaign_id and s.chunk_no = k.chunk_no
      ) then now() + case when k.lane = 'bulk' then 0 else $4::float8 end * interval '1 s'
      else k.due_at
    end
  from chosen x join campaign c on c.id = x.campaign_id
  where k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no
)

-- name: expand-chunks
with -- include: expanded-chunks
select s.campaign_id, s.chunk_no, c.application_id, c.channel, c.lane, c.send_at_local
from sendable s join campaign c on c.id = s.campaign_id
order by 1, 2

-- name: mark-expanded
update campaigns
set expanded_at = now(), lane = case when lane in ('local', 'trial') then 'bulk' else lane end
where id = $1
  and expanded_at is null
  and not exists (select 1 from campaign_chunks where campaign_id = $1 and expanded_at is null)
