set local lock_timeout = '5s';

-- How many people were counted last, by this version of the condition: the list of segments shows it.
alter table segments add column counted jsonb;
