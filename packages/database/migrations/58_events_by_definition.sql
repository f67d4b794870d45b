-- Questions about all users read this index alone: who did something in a time.
-- No transaction
-- For each partition
create index concurrently if not exists events_by_definition on events (application_id, slug, time)
include (user_id, revenue, currency) where user_id is not null;
