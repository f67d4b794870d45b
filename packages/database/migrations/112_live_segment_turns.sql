set local lock_timeout = '5s';

-- Up to it transactions may announce nothing. Null: no engine has seen the row yet.
alter table live_segments alter column listens_since drop not null;

-- When its turn was.
alter table live_segment_builds add column looked_at timestamptz;
