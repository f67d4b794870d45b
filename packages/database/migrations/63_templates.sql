-- Bridges campaigns: services/campaigns/src/personalised.integration.test.ts
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
-- sent as it is. Otherwise `message` is null, as JSON.
alter table campaigns add column templates jsonb;

-- Chunks of such a campaign have negative numbers: a worker of the version before skips their dispatch records, and so
-- never sends a template as it is. Of a campaign to a segment, either version may make the chunks.
create function number_personalised_chunks() returns trigger language plpgsql as $$
begin
  update campaign_chunks set chunk_no = chunk_no - chunks.n
  from (select max(chunk_no) + 1 as n from campaign_chunks where campaign_id = new.id) as chunks
  where campaign_id = new.id;
  return new;
end $$;

create trigger number_personalised_chunks before update of lane on campaigns for each row
  when (old.lane = 'snapshot' and new.templates is not null) execute function number_personalised_chunks();

-- The message as it was rendered for the user. Null: that of the campaign.
alter table inbox add column message jsonb;
