-- postgres-migrations disable-transaction
create index concurrently if not exists webhook_deliveries_written on webhook_deliveries (written_at) where state = 'pending';
