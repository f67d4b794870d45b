set local lock_timeout = '5s';

-- The account that a test send goes by; null: the one that is chosen.
alter table campaigns add column account text;
