-- Where a user has several addresses on a channel (his devices), one row for each that a delivery goes to: it is claimed,
-- armed and settled by itself, and the delivery is the fold of its rows. Where the device is reached, the device says.
-- As of deliveries no index names a column that a send changes.
create table delivery_addresses (
  delivery_id uuid not null,
  -- From 0 on, the device that was seen last first.
  address_no smallint not null,
  campaign_id uuid not null,
  chunk_no integer not null,
  -- Null in a test send, where the user had no device, and when the user was deleted since.
  device_id text collate "C",
  state text not null,
  reason text,
  fence integer not null,
  owner text,
  lease_until timestamptz,
  attempts integer not null default 0,
  doubts integer not null default 0,
  next_at timestamptz not null default now(),
  provider_id text,
  provider_code text,
  provider_message text,
  sent_at timestamptz,
  updated_at timestamptz not null default now(),
  primary key (delivery_id, address_no)
) with (fillfactor = 70);
create index delivery_addresses_by_chunk on delivery_addresses (campaign_id, chunk_no);

alter table deliveries
  -- Since when its addresses have rows of their own; null before, and on channels where a user has one.
  add column addressed_at timestamptz,
  -- The day (YYYY-MM-DD) that counts it against the daily cap, where it has several addresses: it counts once.
  add column counted_on text;

-- The address of the delivery that an entry is about; null where it is about all of it.
alter table campaign_events add column address_no smallint;
