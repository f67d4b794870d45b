-- Search of users by their first name, and by first and last name.
-- No transaction
create index concurrently if not exists users_by_first_name on users (
  application_id, (name_key(fields ->> 'firstName') collate "C"), (name_key(fields ->> 'lastName') collate "C"))
where registered_at is not null and fields ->> 'firstName' is not null;
