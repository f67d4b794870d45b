-- The lane of its campaign, so that due chunks of either lane are found whatever waits in the other.
alter table campaign_chunks add column lane text not null default 'express';
update campaign_chunks k set lane = c.lane from campaigns c where c.id = k.campaign_id and c.lane <> 'express';
drop index campaign_chunks_due;
create index campaign_chunks_due on campaign_chunks (due_at) where due_at is not null and lane = 'express';
create index campaign_chunks_due_in_bulk on campaign_chunks (campaign_id, due_at) where due_at is not null and lane = 'bulk';
-- Large campaigns take turns by application, while they are expanded and while they are sent.
create index campaigns_at_work_in_bulk on campaigns (application_id, channel, id) where lane = 'bulk' and status in ('queued', 'sending');

-- The trace of the request that a campaign came with.
alter table campaigns add column trace_id text;

-- An entry that an attempt made is also the record of that attempt: by which claim, when it was armed (it ended when it
-- was logged), what the channel made of the provider's answer, and how long that took.
alter table campaign_events
  add column fence integer,
  add column armed_at timestamptz,
  add column outcome text,
  add column duration_ms integer;
