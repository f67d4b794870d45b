-- What became of each recipient of a campaign is kept for some time, the campaign with its counters for longer.
alter table campaigns
  -- Since when the rows of its recipients go: deliveries with their addresses, event log and chunks.
  add column recipients_forgotten_at timestamptz,
  -- Whether there may be any.
  add column has_recipient_rows boolean not null default true;
create index campaigns_with_recipient_rows on campaigns (id) where has_recipient_rows and recipients_forgotten_at is null;
create index campaigns_being_forgotten on campaigns (id) where has_recipient_rows and recipients_forgotten_at is not null;
