-- Search of users by their last name, and by last and first name.
-- No transaction
create index concurrently if not exists users_by_last_name on users (
  application_id, (name_key(fields ->> 'lastName') collate "C"), (name_key(fields ->> 'firstName') collate "C"))
where registered_at is not null and fields ->> 'lastName' is not null;
