-- Named messages with Liquid, as they are now. An archived one is not found; its versions stay, and it may come back.
set local lock_timeout = '5s';
create table templates (
  application_id uuid not null,
  slug text not null collate "C",
  name text not null,
  channel text not null,
  -- The message and its variants.
  content jsonb not null,
  version integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  updated_by text not null,
  archived_at timestamptz,
  primary key (application_id, slug)
);

-- Each version that a template had, never changed.
create table template_versions (
  application_id uuid not null,
  slug text not null collate "C",
  version integer not null,
  name text not null,
  channel text not null,
  content jsonb not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (application_id, slug, version)
);

-- The templates that a campaign splits its recipients between, as they were when it was accepted. Null: its message is
-- sent as it is.
alter table campaigns add column templates jsonb;

-- The message as it was rendered for the user. Null: that of the campaign.
alter table inbox add column message jsonb;
