set local lock_timeout = '5s';

-- A channel may send through several accounts. The first one stays in the row of its settings, where the version before
-- reads and writes it.
alter table channel_settings
  add column account_name text not null default 'main',
  -- Its weight beside the other accounts; null: it has none.
  add column share smallint,
  -- ISO 3166 codes of the countries whose numbers it sends to; none: of all.
  add column countries text[] not null default '{}';

-- The accounts after the first. Settings of the channel itself are in its row alone.
create table channel_accounts (
  application_id uuid not null,
  channel text not null,
  name text not null,
  -- From 1 on, in the order in which they are tried.
  position smallint not null,
  -- Of the channel's settings that it was written with. One of another version is none: the version before replaces the
  -- settings without knowing of it.
  version integer not null,
  settings jsonb not null,
  sealed_secrets text,
  status text not null check (status in ('untested', 'ready')),
  tested_at timestamptz,
  share smallint,
  countries text[] not null default '{}',
  primary key (application_id, channel, name)
);
-- A message from a phone names the provider's account, as in channel_settings.
create index channel_accounts_of_sms on channel_accounts using gin (settings jsonb_path_ops) where channel = 'SMS';

-- One of several accounts whose settings were found wrong in sending: the others send. The channel is paused when all
-- are.
create table account_pauses (
  application_id uuid not null,
  channel text not null,
  account text not null,
  -- Of the channel's settings: a pause of another version is none.
  version integer not null,
  reason text not null,
  provider_code text,
  provider_message text,
  paused_at timestamptz not null default now(),
  primary key (application_id, channel, account)
);

-- Of campaigns whose channel has several accounts: how many deliveries are in each state by the account of their last
-- attempt.
create table campaign_account_counters (
  campaign_id uuid not null,
  account text not null,
  state text not null,
  shard smallint not null,
  n bigint not null,
  primary key (campaign_id, account, state, shard)
);
