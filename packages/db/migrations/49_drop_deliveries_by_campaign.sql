-- Replaced by deliveries_in_chunks
-- postgres-migrations disable-transaction
-- Pages of the version before sort the rows of one campaign, 100,000 at most, until its pods are gone.
drop index concurrently if exists deliveries_by_campaign;
