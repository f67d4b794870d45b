-- Users whose key is to be made, which is none after an upgrade.
-- No transaction
create index concurrently if not exists users_without_mailbox_key on users (id)
where email_key ~ '[^!-~]' and mailbox_spelling is distinct from email_key;
