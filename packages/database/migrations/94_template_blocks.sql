set local lock_timeout = '5s';

-- Texts that several templates share.
create table template_blocks (
  application_id uuid not null,
  slug text not null collate "C",
  name text not null,
  -- HTML, plain text or both.
  content jsonb not null,
  version integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  updated_by text not null,
  archived_at timestamptz,
  primary key (application_id, slug)
);

-- Each version that a block had, never changed.
create table template_block_versions (
  application_id uuid not null,
  slug text not null collate "C",
  version integer not null,
  name text not null,
  content jsonb not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (application_id, slug, version)
);

-- What was written, of a version of a template that names blocks. `template_versions` has these in their places: what
-- sends knows no blocks, of any version. A version that the version before writes has no row here, and so no blocks.
create table template_sources (
  application_id uuid not null,
  slug text not null collate "C",
  version integer not null,
  content jsonb not null,
  -- The versions of its blocks, by slug.
  blocks jsonb not null,
  primary key (application_id, slug, version)
);
