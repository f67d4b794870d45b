-- Visits of the links in mails, until it is decided whether a person made them, and for a while after (see link-visits.ts).
-- One row of each kind, however often a link is visited.
create table link_visits (
  delivery_id uuid not null,
  kind text not null check (kind in ('open', 'click')),
  -- Where the link leads; empty for the picture of a mail.
  url_hash bytea not null,
  -- Whether the request itself said that a machine made it.
  is_machine boolean not null,
  -- The page it leads to, without query and fragment, which may name a person.
  page text,
  -- How many different pages the links of the mail lead to.
  link_count integer not null default 0,
  at timestamptz not null default now(),
  decided_at timestamptz,
  -- What was decided.
  was_machine boolean,
  primary key (delivery_id, kind, url_hash, is_machine)
);
create index link_visits_undecided on link_visits (at) where decided_at is null;
create index link_visits_decided on link_visits (decided_at) where decided_at is not null;
