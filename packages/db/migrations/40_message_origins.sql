set local lock_timeout = '5s';
-- Ids of messages are in a name space of their own for each type of key.
alter table message_keys
  add column origin text not null default 'server',
  -- A version without name spaces wrote the row: it holds its id for both types of key.
  add column holds_both boolean not null default true;
