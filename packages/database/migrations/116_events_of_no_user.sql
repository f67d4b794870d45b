-- Sums of events without a user by their attributes read this index. Most applications have few of them.
-- No transaction
-- For each partition
create index concurrently if not exists events_of_no_user on events (application_id, slug, time) include (revenue, currency)
  where user_id is null;
