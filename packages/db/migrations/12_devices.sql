-- Installations of the SDK: a browser, or an app on a phone. The id is the installation's own.
create table devices (
  application_id uuid not null,
  device_id text not null collate "C",
  user_id uuid not null,
  kind text not null check (kind in ('web_push', 'fcm', 'none')),
  -- Where it is reached: a subscription as JSON, or a token; null where it never subscribed, or is not reached any more.
  address text,
  -- SHA-256 of the subscription's endpoint, or of the token.
  address_hash bytea,
  time_zone text,
  locale text,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  primary key (application_id, device_id),
  -- One place is one device: whoever registers it last has it.
  unique (application_id, address_hash)
);
create index devices_by_user on devices (user_id);
