-- A channel of an application whose settings were found wrong in sending: its deliveries are kept until the settings
-- have another version, or a test send succeeds with this one.
create table channel_pauses (
  application_id uuid not null,
  channel text not null,
  -- Of the settings that are wrong: a pause of another version is none.
  version integer not null,
  reason text not null,
  provider_code text,
  provider_message text,
  paused_at timestamptz not null default now(),
  primary key (application_id, channel)
);

-- Breakers that are open, as the workers that hold them tell: for whoever looks at the channel, nothing is decided by it.
create table channel_breakers (
  application_id uuid not null,
  channel text not null,
  -- Where messages name their own receiver, that one; else empty.
  receiver text not null collate "C",
  -- The worker process.
  owner text not null,
  version integer not null,
  cause text not null check (cause in ('failures', 'rate_limited')),
  opened_at timestamptz not null default now(),
  probe_at timestamptz not null,
  primary key (application_id, channel, receiver, owner)
);
