set local lock_timeout = '5s';

-- Named funnels, as they are now. An archived one is not found; its versions stay, and it may come back.
create table funnels (
  application_id uuid not null,
  slug text not null collate "C",
  name text not null,
  -- Its steps and its window.
  definition jsonb not null,
  version integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  updated_by text not null,
  archived_at timestamptz,
  primary key (application_id, slug)
);

-- Each version that a funnel had, never changed.
create table funnel_versions (
  application_id uuid not null,
  slug text not null collate "C",
  version integer not null,
  name text not null,
  definition jsonb not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (application_id, slug, version)
);
