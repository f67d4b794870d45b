-- What pages show of large tables without reading them: sums by time of arrival, written by the statements that store
-- the rows. Each connection adds to rows of its own, so that nobody waits for another's transaction; those of the past
-- are folded into one (backend 0) by the retention.
create table ingest_minutes (
  application_id uuid not null,
  minute timestamptz not null,
  backend integer not null,
  requests bigint not null,
  messages bigint not null,
  primary key (application_id, minute, backend)
) with (fillfactor = 50);
create index ingest_minutes_by_age on ingest_minutes (minute);
create index ingest_minutes_to_fold on ingest_minutes (minute) where backend <> 0;

-- Events as they were stored, those of users who are not registered yet included; what is deleted later stays counted.
create table definition_hours (
  application_id uuid not null,
  slug text not null collate "C",
  hour timestamptz not null,
  -- Of revenue: its currency; else empty.
  currency text not null,
  backend integer not null,
  events bigint not null,
  -- Exact, and without an end: doubles that anybody may send would add up to more than a double holds.
  revenue numeric not null,
  last_received_at timestamptz not null,
  primary key (application_id, slug, hour, currency, backend)
) with (fillfactor = 50);
create index definition_hours_to_fold on definition_hours (hour) where backend <> 0;

create function count_ingest_requests() returns trigger language plpgsql as $$
begin
  insert into ingest_minutes as m (application_id, minute, backend, requests, messages)
  select application_id, date_trunc('minute', received_at), pg_backend_pid(), count(*), sum(message_count)
  from added group by 1, 2 order by 1, 2
  on conflict (application_id, minute, backend) do update set requests = m.requests + excluded.requests, messages = m.messages + excluded.messages;
  return null;
end $$;
create trigger count_ingest_requests after insert on ingest_requests referencing new table as added
  for each statement execute function count_ingest_requests();

create function count_events() returns trigger language plpgsql as $$
begin
  insert into definition_hours as h (application_id, slug, hour, currency, backend, events, revenue, last_received_at)
  select application_id, slug, date_trunc('hour', received_at), coalesce(currency, ''), pg_backend_pid(), count(*), coalesce(sum(revenue::numeric), 0), max(received_at)
  from added group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (application_id, slug, hour, currency, backend) do update
  set events = h.events + excluded.events, revenue = h.revenue + excluded.revenue, last_received_at = greatest(h.last_received_at, excluded.last_received_at);
  return null;
end $$;
create trigger count_events after insert on events referencing new table as added
  for each statement execute function count_events();
