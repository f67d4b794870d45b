set local lock_timeout = '5s';

-- How a campaign with several templates finds the one that most of its recipients get: what share gets them first, what
-- is compared, and after what time. Null: all recipients get their template at once.
alter table campaigns add column winner jsonb;

-- Which of several ways is better: of a campaign by its id, with version 0 and no node; of a split in an automation by
-- the automation, its version and the node. There is one for each. A choice, once made, is not changed.
create table decisions (
  application_id uuid not null,
  subject_id uuid not null,
  version integer not null default 0,
  node text collate "C" not null default '',
  -- The place of the better one; null: none is better.
  choice smallint,
  -- Of the job's comparison; null for a choice that a person made first.
  certainty double precision,
  -- How many did what is compared, of how many, by place.
  figures jsonb,
  is_manual boolean not null default false,
  decided_at timestamptz not null default now(),
  primary key (subject_id, version, node)
);
