-- Finds campaigns whose time has come.
-- No transaction
create index concurrently if not exists campaigns_scheduled on campaigns (send_at) where lane = 'scheduled' and status = 'queued';
