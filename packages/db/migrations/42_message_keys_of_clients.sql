-- Implied by message_keys_pkey: it has all columns of that key, which still stands. What the version before writes holds
-- both name spaces, so a message that one version stored is a duplicate for the other.
-- postgres-migrations disable-transaction
create unique index concurrently if not exists message_keys_of_clients on message_keys (application_id, message_id) where holds_both or origin = 'client';
