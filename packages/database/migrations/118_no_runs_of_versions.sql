-- Replaced by automation_runs_by_automation
-- No transaction
drop index concurrently if exists automation_runs_of_versions;
