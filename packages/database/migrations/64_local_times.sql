-- Campaigns with a local time, while they are expanded: the version before does not look at their lane.
-- No transaction
create index concurrently if not exists campaigns_with_local_time on campaigns (application_id, id)
where lane = 'local' and status in ('queued', 'sending');
