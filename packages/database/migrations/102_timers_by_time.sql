-- No transaction
-- What is due in a shard: without it, each look goes through all applications that have runs.
create index concurrently if not exists automation_timers_by_time on automation_timers (shard, due_at) where not is_parked;
