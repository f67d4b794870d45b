-- No transaction
-- What is due of each application in a shard: none waits behind another's.
create index concurrently if not exists automation_dates_by_application on automation_dates (shard, application_id, due_at) where due_at is not null;
