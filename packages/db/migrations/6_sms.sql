-- Addresses that nothing is sent to, whatever the campaign: for SMS a number in E.164 whose owner has answered STOP.
create table suppressions (
  id uuid primary key default uuidv7(),
  application_id uuid not null,
  channel text not null,
  address text not null collate "C",
  reason text not null,
  created_at timestamptz not null default now(),
  unique (application_id, channel, address, reason)
);

alter table deliveries
  add column delivered_at timestamptz,
  -- When the provider was last asked what became of a send whose outcome is unknown.
  add column looked_up_at timestamptz;
create index deliveries_unknown on deliveries (channel, updated_at) where state = 'unknown';
create index deliveries_by_provider_id on deliveries (provider_id) where provider_id is not null;

-- A message from a phone names the provider's account, not the application.
create index channel_settings_by_account on channel_settings ((settings ->> 'accountSid')) where channel = 'SMS';
