-- postgres-migrations disable-transaction
create index concurrently if not exists campaign_chunks_written on campaign_chunks (written_at) where due_at is not null or leased_until is not null or unresolved_at is not null;
