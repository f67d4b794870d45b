-- Questions about one user: the newest events of a definition, however many events the user has.
-- No transaction
-- For each partition
create index concurrently if not exists events_by_user_and_definition on events (user_id, slug, time desc)
include (revenue, currency) where user_id is not null;
