-- Spellings of a suppressed mailbox, and those whose key is to be made, which are none after an upgrade.
-- No transaction
create index concurrently if not exists suppressions_by_mailbox on suppressions (mailbox_key, application_id)
where channel = 'EMAIL' and address ~ '[^!-~]';
