-- Kept since 0.1.0: the trigger is the same, and campaigns of that version have no automation.
set local lock_timeout = '5s';

-- The automation that a campaign is of, for its webhooks. Not in the statement itself: the roles that write the event log
-- need no right on a table that they never look into.
create function webhook_automation(campaign uuid, slug text, node text, delivery uuid) returns jsonb
language plpgsql stable as $$
declare
  run uuid := (select x.run_id from delivery_contexts x where x.campaign_id = campaign and x.delivery_id = delivery);
begin
  return jsonb_build_object(
    'automation', jsonb_strip_nulls(jsonb_build_object('slug', slug, 'node', node, 'runId', run)));
end $$;

-- As in 77_baseline.sql, with the automation.
create or replace function queue_webhooks() returns trigger
language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if not exists (select from webhook_endpoints where status = 'enabled') then return null; end if;
  insert into webhook_deliveries (endpoint_id, application_id, event_id, type, occurred_at, data)
  select w.endpoint_id, c.application_id,
         'evt_' || encode(substr(sha256(convert_to(e.campaign_id || ':' || e.seq, 'UTF8')), 1, 16), 'hex'),
         k.kind, e.at,
         case when e.delivery_id is null
           then jsonb_build_object(
             'campaignId', c.id,
             'channel', k.channel,
             'status', coalesce(
               e.status,
               case k.kind when 'campaign.started' then 'sending' else split_part(k.kind, '.', 2) end))
           else jsonb_build_object(
             'campaignId', c.id,
             'deliveryId', e.delivery_id,
             'channel', k.channel,
             'customUserId', d.custom_user_id,
             'serviceUserId', i.service_user_id,
             'status', coalesce(e.status, d.state),
             'attempt', coalesce(e.attempt, d.attempts))
         end || jsonb_strip_nulls(jsonb_build_object('reason', e.reason, 'providerCode', e.provider_code))
         || case when c.automation_id is null then '{}'
           else webhook_automation(c.id, c.automation_slug, c.node, e.delivery_id) end
  from added e
  join campaigns c on c.id = e.campaign_id and c.source <> 'test'
  cross join lateral (select webhook_kind(e.type), coalesce(e.channel, c.channel)) as k(kind, channel)
  cross join lateral webhook_endpoints_for(c.application_id, k.kind, k.channel) w
  left join deliveries d on d.id = e.delivery_id
  left join lateral (
    select u.service_user_id from user_identities u where u.user_id = d.user_id order by u.created_at limit 1) i on true
  where k.kind is not null
  order by e.seq;
  return null;
end $$;
