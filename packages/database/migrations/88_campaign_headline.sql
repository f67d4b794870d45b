set local lock_timeout = '5s';

-- The title of its message, or else the beginning of its text: a search does not read messages, which may be large.
-- Null: of the version before.
alter table campaigns add column headline text;
