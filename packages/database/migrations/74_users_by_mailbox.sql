-- Search of users by an address in another spelling.
-- No transaction
create index concurrently if not exists users_by_mailbox on users (application_id, mailbox_key, custom_user_id)
where mailbox_key is not null;
