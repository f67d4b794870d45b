-- Campaigns to a segment that took long to read: a later push to the same segment gets a warning.
-- No transaction
create index concurrently if not exists campaigns_slow on campaigns (application_id, snapshot_slow_at)
where snapshot_slow_at is not null;
