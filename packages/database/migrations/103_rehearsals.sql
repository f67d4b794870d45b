set local lock_timeout = '5s';

-- An automation tried on stored events, without a message.
create table rehearsals (
  id uuid primary key default uuidv7(),
  application_id uuid not null,
  automation_id uuid not null,
  definition jsonb not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- running, completed or failed.
  status text not null default 'running',
  created_at timestamptz not null default now(),
  created_by text not null,
  -- Until then a process has it. Null: none has.
  lease_until timestamptz,
  -- How often a process took it.
  attempts integer not null default 0,
  ended_at timestamptz,
  -- Its numbers, also those so far. Null: it has not begun.
  result jsonb,
  error text
);
create unique index rehearsals_running on rehearsals (application_id) where status = 'running';
create index rehearsals_by_age on rehearsals (created_at);

-- Runs that it shows, line by line. They name people, so they are rows of their own.
create table rehearsal_traces (
  rehearsal_id uuid not null,
  no integer not null,
  application_id uuid not null,
  user_id uuid not null,
  run jsonb not null,
  primary key (rehearsal_id, no)
);
create index rehearsal_traces_by_user on rehearsal_traces (user_id);
