-- No transaction
-- Numbers of automations by shard, which a job folds.
create index concurrently if not exists automation_counters_by_shard on automation_counters (day) where shard >= 0;
