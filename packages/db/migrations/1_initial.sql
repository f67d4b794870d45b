-- Times of the system are timestamptz; times that a caller gave are bigint milliseconds, since any Long is legal.

create table applications (
  id uuid primary key,
  name text not null,
  settings jsonb not null default '{}',
  created_at timestamptz not null default now()
);

create table api_keys (
  id uuid primary key,
  application_id uuid not null references applications (id),
  type text not null check (type in ('server', 'client')),
  name text not null,
  prefix text not null,
  key_hash bytea not null unique,
  allowed_origins text[] not null default '{}',
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_by_application on api_keys (application_id);

create table admin_tokens (
  id uuid primary key,
  name text not null,
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

-- A row exists from the first sight of any id; registered_at stays empty until a user message with a customUserId.
-- An anonymous user that turns out to be somebody points there: its events stay where they are.
create table users (
  id uuid primary key,
  application_id uuid not null,
  custom_user_id text collate "C",
  registered_at timestamptz,
  merged_into uuid,
  fields jsonb not null default '{}',
  custom_attributes jsonb not null default '{}',
  clocks jsonb not null default '{}',
  first_seen_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (application_id, custom_user_id)
);
create index users_by_merged_into on users (merged_into) where merged_into is not null;

create table user_identities (
  application_id uuid not null,
  service_user_id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (application_id, service_user_id)
);
create index user_identities_by_user on user_identities (user_id);

-- Rows are never deleted, so a slug is never given twice.
create table definitions (
  application_id uuid not null,
  slug text not null collate "C",
  kind text not null check (kind in ('action', 'revenue', 'businessEvent')),
  name text not null collate "C",
  origin text not null check (origin in ('auto', 'predefined')),
  discarded boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (application_id, slug),
  unique (application_id, kind, name)
);

-- One row per record of the ingest topic; each consumer takes a record once.
create table ingest_requests (
  request_id uuid primary key,
  application_id uuid not null,
  received_at timestamptz not null,
  message_count integer not null,
  taken_by_users boolean not null default false,
  taken_by_events boolean not null default false
);
create index ingest_requests_by_application on ingest_requests (application_id, received_at desc);

-- What became of each message. 'stored' is an event's: readers show processed, pending or held by its user's registration.
create table receipts (
  request_id uuid not null,
  message_index integer not null,
  application_id uuid not null,
  message_id text not null,
  type text not null,
  outcome text not null check (outcome in ('pending', 'stored', 'processed', 'duplicate', 'dropped')),
  reason text,
  user_id uuid,
  primary key (request_id, message_index)
);

-- The ids and times that processed messages used up; both duplicate rules are these two unique keys.
create table message_keys (
  application_id uuid not null,
  message_id text not null collate "C",
  request_id uuid not null,
  message_index integer not null,
  service_user_id uuid,
  time bigint,
  received_at timestamptz not null,
  primary key (application_id, message_id)
);
create unique index message_keys_by_user_time on message_keys (application_id, service_user_id, time)
  where service_user_id is not null;

create table events (
  request_id uuid not null,
  message_index integer not null,
  application_id uuid not null,
  user_id uuid,
  message_id text not null,
  type text not null,
  slug text not null,
  time bigint not null,
  received_at timestamptz not null,
  attributes jsonb,
  revenue double precision,
  currency text,
  primary key (request_id, message_index)
);
create index events_by_user on events (user_id, time desc) where user_id is not null;
create index events_by_arrival on events (application_id, received_at desc);

create table channel_settings (
  application_id uuid not null,
  channel text not null,
  settings jsonb not null,
  sealed_secrets text,
  status text not null check (status in ('untested', 'ready')),
  version integer not null default 1,
  updated_at timestamptz not null default now(),
  tested_at timestamptz,
  primary key (application_id, channel)
);

create table campaigns (
  id uuid primary key,
  application_id uuid not null,
  channel text not null,
  lane text not null,
  purpose text not null,
  source text not null check (source in ('api', 'dashboard', 'test')),
  status text not null check (status in ('queued', 'sending', 'paused', 'completed', 'canceled', 'failed')),
  message jsonb not null,
  recipients_requested integer not null,
  recipients_unique integer not null,
  created_by text not null,
  request_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  started_at timestamptz,
  expanded_at timestamptz,
  completed_at timestamptz,
  p50_ms bigint,
  p95_ms bigint
);
create index campaigns_by_application on campaigns (application_id, id desc);
create index campaigns_at_work on campaigns (id) where status in ('queued', 'sending', 'paused');

-- The recipients of a campaign as accepted, 200 to a chunk; emptied when the chunk has become deliveries.
-- due_at: when the sweep looks at the chunk next; set while a row of it may have to be sent, so that finding work
-- costs a look at chunks, not at deliveries.
create table campaign_chunks (
  campaign_id uuid not null references campaigns (id),
  chunk_no integer not null,
  recipients jsonb,
  expanded_at timestamptz,
  due_at timestamptz,
  announced_partition integer,
  announced_offset bigint,
  primary key (campaign_id, chunk_no)
);
create index campaign_chunks_to_expand on campaign_chunks (campaign_id, chunk_no) where expanded_at is null;
create index campaign_chunks_due on campaign_chunks (due_at) where due_at is not null;

-- One row per recipient of a campaign: the only truth about what was sent (see packages/channel-worker/README.md).
create table deliveries (
  id uuid primary key default uuidv7(),
  campaign_id uuid not null,
  chunk_no integer not null,
  application_id uuid not null,
  channel text not null,
  custom_user_id text not null collate "C",
  user_id uuid,
  -- Where a test send goes instead of to a user.
  test_address text,
  state text not null,
  reason text,
  fence integer not null default 0,
  owner text,
  lease_until timestamptz,
  attempts integer not null default 0,
  next_at timestamptz not null default now(),
  provider_id text,
  provider_code text,
  provider_message text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  updated_at timestamptz not null default now(),
  unique (campaign_id, custom_user_id)
) with (fillfactor = 70);
create index deliveries_by_chunk on deliveries (campaign_id, chunk_no);
create index deliveries_by_campaign on deliveries (campaign_id, id);
create index deliveries_leased on deliveries (lease_until) where state in ('claimed', 'sending');
create index deliveries_unresolved on deliveries (created_at) where user_id is null and test_address is null and state = 'pending';

-- Deltas of the statements that change deliveries, spread over shards so that no row is hot.
create table campaign_counters (
  campaign_id uuid not null,
  state text not null,
  reason text not null,
  shard smallint not null,
  n bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (campaign_id, state, reason, shard)
);

create table campaign_events (
  seq bigint generated always as identity primary key,
  campaign_id uuid not null,
  at timestamptz not null default now(),
  type text not null,
  delivery_id uuid,
  attempt integer,
  status text,
  reason text,
  provider_code text,
  detail text
);
create index campaign_events_by_campaign on campaign_events (campaign_id, seq);
