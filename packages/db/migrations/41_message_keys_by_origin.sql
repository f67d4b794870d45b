-- Implied by message_keys_pkey: it has all columns of that key, which still stands.
-- postgres-migrations disable-transaction
create unique index concurrently if not exists message_keys_by_origin on message_keys (application_id, message_id, origin);
