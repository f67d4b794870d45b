-- Small log_members: a row for each consumer of a process.
set local lock_timeout = '5s';

-- After a crash of Postgres, or when a standby takes over, an unlogged table is empty. The last commits may be missing
-- then, so offsets that members know may name other records: all members join again and read from committed offsets.
alter table log_members set unlogged;
