alter table campaign_chunks
  -- An action on the campaign changes its rows chunk by chunk: what has yet to be done to those of this one.
  add column pending_action text check (pending_action in ('cancel', 'retry-failed'));
create index campaign_chunks_to_change on campaign_chunks (campaign_id, chunk_no) where pending_action is not null;

-- When its failures were last made due again: its time to be handed over counts from then.
alter table campaigns add column retried_at timestamptz;
