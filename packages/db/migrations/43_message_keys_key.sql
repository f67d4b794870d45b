-- Widens message_keys_pkey: the version before inserts with `on conflict do nothing`, which names no columns, and looks
-- rows up by the first two columns of the new key. Its rows all have the default origin, so they stay unique by those two.
set local lock_timeout = '5s';
alter table message_keys
  drop constraint message_keys_pkey,
  add constraint message_keys_pkey primary key using index message_keys_by_origin;
