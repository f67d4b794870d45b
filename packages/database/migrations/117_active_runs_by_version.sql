-- No transaction
-- Which versions have runs in progress. Its predicate is none that questions about a person have: of runs in progress
-- Postgres took it, as the lower index, and read all runs of an automation for each person.
create index concurrently if not exists automation_runs_active_by_version on automation_runs (automation_id, version) where status = 'active';
