-- No transaction
-- Numbers of automations by day: those of long ago become their month.
create index concurrently if not exists automation_counters_by_day on automation_counters (day) where shard < 0 and extract(day from day) <> 1;
