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

-- When the date of each person enters them.
create table automation_dates (
  automation_id uuid not null,
  user_id uuid not null,
  application_id uuid not null,
  shard smallint not null,
  -- Of another build it says nothing: the trigger was another, or the automation was stopped.
  build integer not null,
  -- Null: it has entered them.
  due_at timestamptz,
  -- By which date it has.
  entered text,
  primary key (automation_id, user_id)
);
create index automation_dates_due on automation_dates (shard, due_at) where due_at is not null;
create index automation_dates_by_user on automation_dates (user_id);

-- Since an activation, how far people were looked at.
create table automation_date_builds (
  automation_id uuid primary key,
  application_id uuid not null,
  build integer not null,
  trigger jsonb not null,
  activated_at timestamptz not null,
  -- The last customUserId; null: all were looked at.
  after text
);
