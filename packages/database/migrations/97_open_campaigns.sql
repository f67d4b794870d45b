set local lock_timeout = '5s';

-- Of a campaign to which an automation appends recipients, node by node, until `open_until`. Null for all others. Its
-- source is 'api' here: the check that names the sources cannot change beside the version before.
alter table campaigns
  add column automation_id uuid,
  -- As it was when the campaign was opened.
  add column automation_slug text collate "C",
  add column automation_version integer,
  add column node text collate "C",
  add column open_until timestamptz,
  -- The outcomes of its deliveries that are told to automations.
  add column heard text[] not null default '{}';

-- The campaign that is open for what a node of an automation sends, by the version of the template, by lane, and in four
-- slots, so that engines seldom wait for each other. An engine that appends has the row locked.
create table automation_sends (
  application_id uuid not null,
  automation_id uuid not null,
  version integer not null,
  node text not null collate "C",
  -- Of several messages that a node tries, by one channel each.
  message_no smallint not null,
  -- 0: the message is the node's own.
  template_version integer not null,
  lane text not null,
  slot smallint not null,
  campaign_id uuid not null,
  open_until timestamptz not null,
  -- Recipients that were appended in this minute: many in a minute are a large campaign.
  minute timestamptz not null,
  recipients integer not null,
  primary key (automation_id, version, node, message_no, template_version, lane, slot)
) with (fillfactor = 50);

-- What an automation knew when it sent: the run, and the event that began it. Messages are rendered with it. Written with
-- the delivery, while delivery_data has a row only once a message was rendered.
create table delivery_contexts (
  campaign_id uuid not null,
  delivery_id uuid not null,
  application_id uuid not null,
  run_id uuid not null,
  entered_at timestamptz not null,
  -- {"name","time","attributes","revenue","currency"}; null where no event began the run.
  event jsonb,
  -- False: the application keeps no sent messages, so this goes once the delivery is settled.
  is_kept boolean not null,
  primary key (campaign_id, delivery_id)
);
create index delivery_contexts_to_forget on delivery_contexts (campaign_id, delivery_id) where not is_kept;
