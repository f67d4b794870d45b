-- name: accept-campaigns
with submitted as materialized (
  select o.*, array(select jsonb_array_elements_text(o.tag_list)) as tags,
    coalesce(
      not -- include: accounts/is-ready(s)
      and (a.settings ->> 'sendUntested')::boolean,
      false
    ) as is_untested
  from rows
  from (
    unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]),
    unnest($5::text[]), unnest($6::text[]), jsonb_array_elements($7::jsonb), unnest($8::int[]),
    unnest($9::int[]), unnest($10::text[]), unnest($11::uuid[]), unnest($12::float8[]),
    unnest($13::float8[]), unnest($14::text[]), unnest($15::bytea[]), unnest($16::text[]),
    unnest($20::text[]), unnest($21::text[]), unnest($22::text[]), unnest($23::float8[]),
    unnest($24::text[]), unnest($26::text[]), unnest($27::text[]), unnest($28::text[]),
    unnest($29::jsonb[]), unnest($30::text[])
  ) as o(
    id, application_id, channel, lane, purpose, source, message, requested, uniques, created_by,
    request_id, created_ms, expires_ms, key, body_hash, answer, trace_id, traceparent, audience,
    send_ms, send_at_local, templates, account, name, tag_list, winner
  )
    left join applications a on a.id = o.application_id
    left join channel_settings s on s.application_id = o.application_id and s.channel = o.channel
),
keyed as (
  insert into idempotency_keys (
    application_id, key, body_hash, answer, channel_untested, campaign_id
  )
  select application_id, key, body_hash, answer, is_untested, id
  from submitted
  where key is not null
  order by application_id, key collate "C"
  on conflict do nothing
  returning campaign_id
),
taken as materialized (
  select * from submitted where key is null or id in (select campaign_id from keyed)
),
campaign as (
  insert into campaigns (
    id, application_id, channel, lane, purpose, source, status, message, recipients_requested,
    recipients_unique, created_by, request_id, created_at, expires_at, trace_id, traceparent,
    audience, send_at, send_at_local, templates, account, name, tags, search_text,
    winner
  )
  select id, application_id, channel, lane, purpose, source, 'queued', message, requested, uniques,
    created_by, request_id, to_timestamp(created_ms / 1000), to_timestamp(expires_ms / 1000),
    trace_id, traceparent, audience::jsonb, to_timestamp(send_ms / 1000), send_at_local,
    templates::jsonb, account, name, tags,
    -- include: search-text-of(name, tags, message, templates::jsonb),
    winner::jsonb
  from taken
),
log as (
  insert into campaign_events (campaign_id, type)
  select id, case lane when 'scheduled' then 'campaign.scheduled' else 'campaign.queued' end
  from taken
),
chunk as (
  insert into campaign_chunks (campaign_id, chunk_no, lane, recipients)
  select c.campaign_id, c.chunk_no,
    case
      when t.lane not in ('scheduled', 'local', 'trial') then t.lane
      when t.uniques <= $25::int and t.send_at_local is null and t.winner is null then 'express'
      else 'bulk'
    end,
    c.recipients
  from rows
  from (unnest($17::uuid[]), unnest($18::int[]), jsonb_array_elements($19::jsonb)) as c(
    campaign_id, chunk_no, recipients
  )
    join taken t on t.id = c.campaign_id
)
select id, is_untested
from taken
