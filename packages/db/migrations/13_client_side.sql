-- What the back end of an application signs user tokens with.
create table user_token_secrets (
  application_id uuid primary key references applications (id),
  -- A sealed JSON array: the secret, and the one before it, which goes on counting until previous_secret_until.
  sealed_secrets text not null,
  previous_secret_until timestamptz,
  updated_at timestamptz not null default now()
);
-- Devices of nobody that were not seen for long are forgotten, the oldest first.
create index devices_by_seen_at on devices (seen_at);
