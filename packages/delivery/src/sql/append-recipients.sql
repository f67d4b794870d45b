-- name: lock-nodes
-- The open campaign of each node, locked until the end of the transaction. In the order of the key,
-- so that two engines cannot deadlock. Many recipients in a minute ($8) are a large campaign.
with asked as (
  select a.*, date_trunc('minute', now()) as minute,
    sum(a.recipients) over (partition by a.automation_id, a.version, a.node) as together
  from unnest(
    $1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::int[], $6::smallint[], $7::int[],
    $9::smallint[]
  ) as a(
    application_id, automation_id, version, node, template_version, slot, recipients, message_no
  )
),
laned as (
  select a.*,
    case
      when a.together + coalesce(
          (
            select sum(s.recipients)
            from automation_sends s
            where s.automation_id = a.automation_id
              and s.version = a.version
              and s.node = a.node
              and s.lane = 'express'
              and s.minute = a.minute
          ),
          0
        ) <= $8::int
        then 'express'
      else 'bulk'
    end as lane
  from asked a
)
insert into automation_sends as s (
  application_id, automation_id, version, node, message_no, template_version, lane, slot,
  campaign_id, open_until, minute, recipients
)
select application_id, automation_id, version, node, message_no, template_version, lane, slot,
  '00000000-0000-0000-0000-000000000000', '-infinity', minute, recipients
from laned
order by automation_id, version, node, message_no, template_version, lane, slot
on conflict (automation_id, version, node, message_no, template_version, lane, slot) do update
set minute = excluded.minute,
  recipients = excluded.recipients
    + case when s.minute = excluded.minute then s.recipients else 0 end
returning s.automation_id, s.version, s.node, s.message_no, s.template_version, s.slot, s.lane,
  s.campaign_id

-- name: lock-open-campaigns
-- Those that may take more, with the last chunk that they have. An earlier version may have
-- completed one.
select c.id,
  coalesce(
    (select min(k.chunk_no) from campaign_chunks k where k.campaign_id = c.id), 0
  ) as last_chunk
from campaigns c
where c.id = any($1::uuid[]) and c.status = 'sending' and c.open_until > now()
order by c.id
for no key update of c

-- name: open-campaigns
-- Open for a 24th of what its messages live, at most a day. It is expanded from the first: what is
-- appended comes as deliveries.
with asked as (
  select o.*, now() + least(o.expires_in_ms / 24, 86400000) * interval '1 ms' as open_until,
    array(select jsonb_array_elements_text(o.milestones::jsonb)) as heard
  from unnest(
    $1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::int[], $6::text[], $7::int[], $8::text[],
    $9::smallint[], $10::text[], $11::text[], $12::text[], $13::float8[], $14::text[], $15::text[],
    $16::text[], $17::smallint[]
  ) as o(
    id, application_id, automation_id, automation_slug, version, node, template_version, lane, slot,
    channel, purpose, templates, expires_in_ms, created_by, account, milestones, message_no
  )
),
opened as (
  insert into campaigns (
    id, application_id, channel, lane, purpose, source, status, message, recipients_requested,
    recipients_unique, created_by, request_id, created_at, started_at, expanded_at, expires_at,
    templates, account, search_text, automation_id, automation_slug, automation_version, node,
    open_until, heard
  )
  select id, application_id, channel, lane, purpose, 'api', 'sending', 'null', 0, 0, created_by, id,
    now(), now(), now(), open_until + expires_in_ms * interval '1 ms', templates::jsonb, account,
    -- include: search-text-of(null, '{}'::text[], 'null'::jsonb, templates::jsonb),
    automation_id, automation_slug, version, node, open_until,
    heard
  from asked
),
logged as (
  insert into campaign_events (campaign_id, type) select id, 'campaign.started' from asked
)
update automation_sends s
set campaign_id = a.id, open_until = a.open_until
from asked a
where s.automation_id = a.automation_id
  and s.version = a.version
  and s.node = a.node
  and s.message_no = a.message_no
  and s.template_version = a.template_version
  and s.lane = a.lane
  and s.slot = a.slot

-- name: append-chunks
insert into campaign_chunks (campaign_id, chunk_no, lane, recipients)
select campaign_id, chunk_no, lane, recipients
from rows
from (
  unnest($1::uuid[]), unnest($2::int[]), unnest($3::text[]), jsonb_array_elements($4::jsonb)
) as k(campaign_id, chunk_no, lane, recipients)

-- name: expand-appended
-- As expansion does it. $5: the contexts, by campaign and recipient. Who was in the campaign before
-- has no row in the answer.
with -- include: expanded-chunks,
kept as (
  insert into delivery_contexts (
    campaign_id, delivery_id, application_id, run_id, entered_at, event, is_kept
  )
  select m.campaign_id, m.id, c.application_id, (x.context ->> 'runId')::uuid,
    to_timestamp((x.context ->> 'enteredAt')::float8 / 1000),
    nullif(x.context -> 'event', 'null'::jsonb),
    coalesce((a.settings ->> 'keepSentMessages')::boolean, true)
  from made m
    join campaign c on c.id = m.campaign_id
    join applications a on a.id = c.application_id
    cross join lateral (
      select $5::jsonb -> (m.campaign_id || ' ' || m.custom_user_id) as context
    ) x
),
-- `retried_at` tells a completion that has counted before that there is more: also one of a version
-- that knows no open campaigns.
grown as (
  update campaigns c
  set recipients_requested = c.recipients_requested + m.n,
    recipients_unique = c.recipients_unique + m.n, retried_at = clock_timestamp()
  from (select campaign_id, count(*)::int as n from made group by 1) m
  where c.id = m.campaign_id
)
select m.id, m.campaign_id, m.chunk_no, m.custom_user_id,
  m.state = 'pending' and m.user_id is not null as is_sendable
from made m
