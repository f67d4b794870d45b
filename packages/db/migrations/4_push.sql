-- What callers may repeat: the key of a push, the hash of the body it came with, and what it was answered. Written in
-- the statement that stores the campaign, so there is never one without the other.
-- channel_untested: whether the answer has that warning; the rest of it is known before anything is stored.
create table idempotency_keys (
  application_id uuid not null,
  key text not null collate "C",
  body_hash bytea not null,
  answer text not null,
  channel_untested boolean not null,
  created_at timestamptz not null default now(),
  campaign_id uuid not null,
  primary key (application_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
