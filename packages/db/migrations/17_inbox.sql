-- What is offered to a user's devices and was not shown yet: one row for each delivery in `waiting`, which goes when its
-- state does. It is how a message is taken: whoever gets the row has it.
create table inbox (
  delivery_id uuid primary key,
  application_id uuid not null,
  user_id uuid not null,
  channel text not null,
  campaign_id uuid not null,
  expires_at timestamptz not null,
  -- The device that has fetched it, by which stream and as which of its messages, and until when nobody else gets it:
  -- for ever, when it has confirmed that it has it.
  leased_by text collate "C",
  lease_stream uuid,
  lease_no bigint,
  lease_until timestamptz
) with (fillfactor = 70);
create index inbox_by_user on inbox (user_id, delivery_id);
create index inbox_by_expiry on inbox (expires_at);
create sequence inbox_lease_no;
