set local lock_timeout = '5s';

-- What people find a campaign by.
alter table campaigns
  add column name text,
  add column tags text[] not null default '{}';
