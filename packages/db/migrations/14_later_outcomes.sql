-- What becomes known after a delivery was handed over. Its state says how far it came; these say when it was first told
-- so, and what is noted beside the state. No index names them (see 11_delivery_updates).
alter table deliveries
  add column displayed_at timestamptz,
  add column opened_at timestamptz,
  add column clicked_at timestamptz,
  add column dismissed_at timestamptz,
  -- By a scanner or a proxy: nobody has read anything.
  add column machine_opened_at timestamptz,
  add column machine_clicked_at timestamptz,
  add column complained_at timestamptz,
  add column unsubscribed_at timestamptz;
