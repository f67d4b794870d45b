set local lock_timeout = '5s';

-- The account of the last attempt, and why it was that one. Null while the channel has one account.
alter table deliveries
  add column account text,
  add column account_reason text;
