set local lock_timeout = '5s';
-- A Client key, or a device that it registered, joined the serviceUserId to its person: these are bounded for each person.
alter table user_identities add column by_client_key boolean not null default false;
