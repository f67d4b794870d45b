set local lock_timeout = '5s';

-- How fast an automation may send: one row, which a step locks that sends. Milliseconds since the epoch.
create table automation_throttles (
  automation_id uuid primary key,
  application_id uuid not null,
  -- The next instant that no run has.
  next_ms double precision not null,
  -- Of the generic cell rate algorithm: each message moves it on by the spacing.
  sent_ms double precision not null,
  -- That the instants were planned with.
  spacing_ms double precision not null
) with (fillfactor = 50);
