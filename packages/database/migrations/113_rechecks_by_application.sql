-- No transaction
-- Who is due of each application in a shard: none waits behind another's.
create index concurrently if not exists segment_members_by_application on segment_members (shard, application_id, recheck_at) where recheck_at is not null;
