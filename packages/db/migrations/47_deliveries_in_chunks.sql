-- postgres-migrations disable-transaction
-- Ends with id: rows of a chunk come in order, so that no plan reads the whole campaign for the sake of it, as one did that was kept from empty tables.
create index concurrently if not exists deliveries_in_chunks on deliveries (campaign_id, chunk_no, id);
