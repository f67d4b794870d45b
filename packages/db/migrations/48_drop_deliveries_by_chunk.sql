-- Replaced by deliveries_in_chunks
-- postgres-migrations disable-transaction
drop index concurrently if exists deliveries_by_chunk;
