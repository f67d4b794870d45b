-- No transaction
-- Campaigns of back ends, which are many, have none.
create index concurrently if not exists campaigns_with_winner on campaigns (application_id, id)
  where winner is not null and status in ('queued', 'sending', 'paused');
