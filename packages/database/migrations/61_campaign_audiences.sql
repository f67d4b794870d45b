-- Whom a campaign to a segment is for, and when its recipients were read: its lane is `snapshot` until then, which the
-- version before does not look at. And when a campaign begins, if not at once: `send_at`; `send_at_local` is a time
-- without a zone, which each recipient has at another instant. Its lane is `scheduled` until then.
set local lock_timeout = '5s';
alter table campaigns
  add column audience jsonb,
  add column snapshot_at timestamptz,
  add column send_at timestamptz,
  add column send_at_local text;

-- Recipients of a chunk whose hour of `send_at_local` had passed when the campaign began.
alter table campaign_chunks add column local_time_passed integer;
