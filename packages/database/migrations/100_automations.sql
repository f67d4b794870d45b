set local lock_timeout = '5s';

-- What happens to people after a trigger. `draft` is what its page shows; its versions are what runs.
create table automations (
  id uuid primary key,
  application_id uuid not null,
  slug text not null collate "C",
  name text not null,
  -- draft, active, paused or stopped.
  status text not null,
  draft jsonb not null,
  -- Counts the changes of the draft: two people do not write over each other.
  draft_version integer not null,
  -- The version that people enter; null: it was never activated.
  live_version integer,
  -- Runs of older versions go on as if they were of this one.
  moved_to integer,
  -- Events received before it began enter no one.
  activated_at timestamptz,
  paused_at timestamptz,
  -- The last pause: events received in it enter no one, whenever they are read. Its end is null
  -- while it lasts.
  pause_began_at timestamptz,
  pause_ended_at timestamptz,
  -- Runs that were entered before it are ended at their next step.
  ends_before timestamptz,
  -- Of the last resume: messages that are late by more than an hour are left out.
  skips_missed boolean not null default false,
  -- Until when runs are looked for that are to move or end. Null: none are.
  wakes_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  updated_by text not null,
  archived_at timestamptz
);
create unique index automations_by_slug on automations (application_id, slug) where archived_at is null;

-- Each version that was activated, never changed.
create table automation_versions (
  automation_id uuid not null,
  version integer not null,
  application_id uuid not null,
  definition jsonb not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (automation_id, version)
);

-- One user's way through an automation. An update touches no index while the run goes on.
create table automation_runs (
  id uuid primary key default uuidv7(),
  application_id uuid not null,
  automation_id uuid not null,
  version integer not null,
  user_id uuid not null,
  entry_key text not null collate "C" default '',
  -- Of the engine's work: a hash of the user.
  shard smallint not null,
  -- Where it waits; null: before its first node.
  node text collate "C",
  waits_until timestamptz,
  entered_at timestamptz not null default now(),
  -- The event that it was entered by; none of a run that the API asked for.
  trigger_request uuid,
  trigger_index integer,
  trigger_received_at timestamptz,
  -- What exits and waits ask for is later than this.
  trigger_time bigint not null,
  trigger_message text collate "C",
  -- What the API gave it, in place of an event's attributes.
  data jsonb,
  -- Until the profile that came with the event is stored.
  settles_until timestamptz,
  skips_sends boolean not null default false,
  -- Someone takes the person out: it ends at its next step.
  end_requested boolean not null default false,
  failures smallint not null default 0,
  error text,
  last_sent_at timestamptz,
  -- Of its trace.
  lines integer not null default 0,
  -- active, completed, exited or failed.
  status text not null default 'active',
  ended_at timestamptz,
  -- A goal that is reached until then counts, also after the end.
  goal_until timestamptz,
  goal_at timestamptz
) with (fillfactor = 60);
-- A person is in it once, or once for each key.
create unique index automation_runs_in_progress on automation_runs (automation_id, user_id, entry_key) where ended_at is null;
create index automation_runs_by_user on automation_runs (user_id, automation_id, id);
create index automation_runs_by_automation on automation_runs (automation_id, id);
-- Which versions have runs in progress, and which runs failed: among millions.
create index automation_runs_of_versions on automation_runs (automation_id, version) where ended_at is null;
create index automation_runs_failed on automation_runs (automation_id, id) where status = 'failed';
create index automation_runs_ended on automation_runs (ended_at) where ended_at is not null;

-- When a run goes on. A wake makes it due at once.
create table automation_timers (
  run_id uuid primary key,
  shard smallint not null,
  application_id uuid not null,
  automation_id uuid not null,
  due_at timestamptz not null,
  -- Due while its automation was paused.
  is_parked boolean not null default false
);
create index automation_timers_due on automation_timers (shard, application_id, due_at) where not is_parked;
create index automation_timers_parked on automation_timers (automation_id) where is_parked;

-- Which events of a person wake a run.
create table automation_waits (
  user_id uuid not null,
  slug text not null collate "C",
  run_id uuid not null,
  application_id uuid not null,
  primary key (user_id, slug, run_id)
);
create index automation_waits_by_run on automation_waits (run_id);

-- How often a person entered, and when last: by key.
create table automation_entries (
  automation_id uuid not null,
  user_id uuid not null,
  entry_key text not null collate "C" default '',
  application_id uuid not null,
  last_entered_at timestamptz not null,
  entries integer not null,
  primary key (automation_id, user_id, entry_key)
);
create index automation_entries_by_user on automation_entries (user_id);

-- What became of an event that could enter someone: each is decided once, also when the log is read again.
create table automation_triggers (
  automation_id uuid not null,
  request_id uuid not null,
  message_index integer not null,
  application_id uuid not null,
  user_id uuid not null,
  at timestamptz not null default now(),
  -- entered, or why not.
  result text not null,
  run_id uuid,
  -- Of a run that the API asked for with an Idempotency-Key: of its request.
  body_hash bytea,
  primary key (automation_id, request_id, message_index)
);
create index automation_triggers_by_user on automation_triggers (user_id, automation_id, at);
create index automation_triggers_by_time on automation_triggers (at);

-- What a run did, line by line.
create table automation_trace (
  run_id uuid not null,
  line integer not null,
  application_id uuid not null,
  at timestamptz not null default now(),
  node text not null collate "C",
  outcome text not null,
  reason text,
  campaign_id uuid,
  delivery_id uuid,
  primary key (run_id, line)
);

-- How many runs did what at which node, by day. Node '' is the automation.
create table automation_counters (
  automation_id uuid not null,
  version integer not null,
  node text not null collate "C",
  outcome text not null collate "C",
  reason text not null collate "C" default '',
  day date not null,
  shard smallint not null,
  application_id uuid not null,
  n bigint not null,
  primary key (automation_id, version, node, outcome, reason, day, shard)
) with (fillfactor = 50);
