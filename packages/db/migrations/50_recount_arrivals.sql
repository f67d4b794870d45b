-- Sums by arrival that stay are taken over definition by definition: of hours before `arrivals_before`, of the slugs after `arrivals_slug`. Null: none is left.
set local lock_timeout = '5s';
alter table event_recounts
  add column arrivals_before timestamptz,
  add column arrivals_slug text collate "C" not null default '';
