set local lock_timeout = '5s';

-- When automations enter the members of a segment by the clock.
create table automation_schedules (
  automation_id uuid primary key,
  application_id uuid not null,
  -- Of the version that people enter: its cron and its time zone.
  schedule jsonb not null,
  -- Null: it does not come again.
  next_at timestamptz,
  -- After its segment took too long.
  retry_at timestamptz,
  -- The last instants that entered no one, with the reason.
  missed jsonb not null default '[]'
);
create index automation_schedules_due on automation_schedules (next_at);

-- Who is to enter at an instant, until a log has it: everyone who was in the segment at one moment.
create table automation_arrivals (
  automation_id uuid not null,
  at timestamptz not null,
  user_id uuid not null,
  application_id uuid not null,
  primary key (automation_id, at, user_id)
);
create index automation_arrivals_by_time on automation_arrivals (at);
create index automation_arrivals_by_user on automation_arrivals (user_id);
