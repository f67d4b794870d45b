set local lock_timeout = '5s';

-- Campaigns that are being written: pushes that may lack anything. No status of `campaigns`, because every version sends
-- what is in that table.
create table campaign_drafts (
  id uuid primary key,
  application_id uuid not null,
  content jsonb not null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  created_by text not null,
  updated_at timestamptz not null default now(),
  updated_by text not null
);
create index campaign_drafts_by_application on campaign_drafts (application_id, updated_at desc, id);
create index campaign_drafts_by_age on campaign_drafts (updated_at);
