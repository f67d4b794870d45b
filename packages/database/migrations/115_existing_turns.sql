set local lock_timeout = '5s';

-- When its turn was.
alter table automation_existing add column looked_at timestamptz;
