-- How far the events that were stored before 35_event_quarters are counted by time: from the newest arrival on, back to `before`.
create table event_recounts (
  application_id uuid primary key,
  before timestamptz not null,
  -- When the trigger was there.
  trigger_at timestamptz not null default now()
);
insert into event_recounts (application_id, before) select id, 'infinity' from applications;
