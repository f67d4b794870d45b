set local lock_timeout = '5s';

alter table automation_date_builds
  -- Up to it transactions may store a date and announce no change. Null: no job has seen the row yet.
  add column listens_since bigint,
  add column began_at timestamptz not null default now(),
  -- When its turn was.
  add column looked_at timestamptz,
  add column retry_at timestamptz,
  add column failures smallint not null default 0;

alter table automation_schedules
  -- Of the application, when the next instant was computed.
  add column zone text,
  -- When its turn was.
  add column tried_at timestamptz,
  add column failures smallint not null default 0;
