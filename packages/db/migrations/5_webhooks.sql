-- Where an application is told what becomes of its campaigns.
create table webhook_endpoints (
  id uuid primary key,
  application_id uuid not null references applications (id),
  url text not null,
  description text not null default '',
  -- What it is told of; empty: everything.
  kinds text[] not null default '{}',
  channels text[] not null default '{}',
  -- A sealed JSON array: the secret, and the one before it, which goes on signing until previous_secret_until.
  sealed_secrets text not null,
  previous_secret_until timestamptz,
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('by_hand', 'gone', 'failing')),
  disabled_at timestamptz,
  -- Since the first failure after which nothing succeeded.
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webhook_endpoints_by_application on webhook_endpoints (application_id, id);

-- One event for one endpoint: what is to be sent, and afterwards the log of it.
create table webhook_deliveries (
  id uuid primary key default uuidv7(),
  endpoint_id uuid not null,
  application_id uuid not null,
  -- The same for every endpoint and every time it is sent.
  event_id text not null,
  type text not null,
  occurred_at timestamptz not null,
  data jsonb not null,
  replay_of uuid,
  state text not null default 'pending' check (state in ('pending', 'succeeded', 'failed')),
  reason text check (reason in ('attempts_exhausted', 'gone', 'endpoint_disabled')),
  attempts integer not null default 0,
  fence integer not null default 0,
  -- When it is to be sent; while somebody is at it, the end of the lease.
  next_at timestamptz not null default now(),
  lease_until timestamptz,
  attempt_log jsonb not null default '[]',
  -- The beginning of the last answer, for whoever looks for a fault of the receiver.
  last_answer text,
  created_at timestamptz not null default now(),
  settled_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);
-- What was sent leaves dead entries here, over which every look for work has to step until the table is vacuumed: soon.
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, next_at) where state = 'pending';
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_failed on webhook_deliveries (endpoint_id, id) where state = 'failed';
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- The kind of webhook that an entry of a campaign's event log is; null when it is none.
create function webhook_kind(event_type text) returns text language sql immutable as $$
  select k.kind
  from (select case when event_type like 'delivery.%' then 'message.' || substr(event_type, 10) else event_type end) as k(kind)
  where k.kind in (
    'campaign.queued', 'campaign.started', 'campaign.completed', 'campaign.failed', 'campaign.canceled',
    'message.sent', 'message.delivered', 'message.displayed', 'message.opened', 'message.clicked', 'message.dismissed',
    'message.failed', 'message.bounced', 'message.complained', 'message.expired', 'message.unknown',
    'user.unsubscribed', 'user.resubscribed', 'subscription.created', 'subscription.removed')
$$;

-- The endpoints that want to be told of a kind, of a channel or of none.
create function webhook_endpoints_for(application uuid, kind text, channel text) returns table (endpoint_id uuid) language sql stable as $$
  select e.id from webhook_endpoints e
  where e.application_id = application and e.status = 'enabled'
    and (cardinality(e.kinds) = 0 or kind = any(e.kinds))
    and (cardinality(e.channels) = 0 or channel is null or channel = any(e.channels))
$$;

-- Whatever is written to the event log is queued for the endpoints in the same statement, and commits or goes with it:
-- no state change without its webhooks, whoever makes it, and none for what did not happen. The id of the event is made
-- of its entry. Test sends go to an address instead of a user and are nobody's business. Joins look rows up one by one:
-- a plan is kept for as long as the connection, and the tables grow meanwhile.
create function queue_webhooks() returns trigger language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if not exists (select from webhook_endpoints where status = 'enabled') then return null; end if;
  insert into webhook_deliveries (endpoint_id, application_id, event_id, type, occurred_at, data)
  select w.endpoint_id, c.application_id,
         'evt_' || encode(substr(sha256(convert_to(e.campaign_id || ':' || e.seq, 'UTF8')), 1, 16), 'hex'),
         k.kind, e.at,
         case when e.delivery_id is null
           then jsonb_build_object('campaignId', c.id, 'channel', c.channel,
                                   'status', coalesce(e.status, case k.kind when 'campaign.started' then 'sending' else split_part(k.kind, '.', 2) end))
           else jsonb_build_object('campaignId', c.id, 'deliveryId', e.delivery_id, 'channel', c.channel, 'customUserId', d.custom_user_id,
                                   'serviceUserId', i.service_user_id, 'status', coalesce(e.status, d.state), 'attempt', coalesce(e.attempt, d.attempts))
         end || jsonb_strip_nulls(jsonb_build_object('reason', e.reason, 'providerCode', e.provider_code))
  from added e
  cross join lateral (select webhook_kind(e.type)) as k(kind)
  join campaigns c on c.id = e.campaign_id and c.source <> 'test'
  cross join lateral webhook_endpoints_for(c.application_id, k.kind, c.channel) w
  left join deliveries d on d.id = e.delivery_id
  left join lateral (
    select u.service_user_id from user_identities u where u.user_id = d.user_id order by u.created_at limit 1) i on true
  where k.kind is not null
  order by e.seq;
  return null;
end $$;
create trigger queue_webhooks after insert on campaign_events referencing new table as added
  for each statement execute function queue_webhooks();
