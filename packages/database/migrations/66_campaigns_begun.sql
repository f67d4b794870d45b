-- Campaigns that sweeps read each second: not those that wait for their time, of which there may be a million.
-- No transaction
create index concurrently if not exists campaigns_begun on campaigns (id)
where lane <> 'scheduled' and status in ('queued', 'sending', 'paused');
