set local lock_timeout = '5s';

-- The search_key of name, title and tags: a search does not read messages, which may be large, and reads many campaigns.
-- Null: of the version before.
alter table campaigns add column search_text text;
