-- What is known of reading the recipients of a campaign to a segment, so that a costly segment is tried a bounded number
-- of times, also when the process or Postgres ends in between.
set local lock_timeout = '5s';
alter table campaigns
  -- Tries that began, except those that ended by their time or with the process.
  add column snapshot_tries integer not null default 0,
  add column snapshot_tried_at timestamptz,
  -- When its first try took too long: from then on it is tried in the slow lane alone.
  add column snapshot_slow_at timestamptz,
  -- Why it is failed; null for campaigns that failed in an earlier version.
  add column failure_reason text;

-- The slow lane: an application stands in it with one campaign, and the one that stands longest is tried next.
create table slow_snapshots (
  application_id uuid primary key,
  campaign_id uuid not null,
  since timestamptz not null default now()
);
