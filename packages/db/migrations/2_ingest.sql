-- Tables that grow with every request are split by arrival (never by a time that a caller gave), so that what is past
-- its retention goes as a whole. The functions below are called here and, for as long as the installation lives, by the
-- retention loop of the events consumer.

-- Makes the partitions of a table up to the period we are in and `ahead` more, and says how many. Begins where the last
-- one ends: after a long stop the records of the time between are still to be stored.
create function make_partitions(parent text, step interval, ahead integer, at timestamptz default now()) returns integer language plpgsql as $$
declare
  unit text := case when step = interval '1 month' then 'month' else 'day' end;
  last timestamptz := (date_trunc(unit, at at time zone 'UTC') + step * ahead) at time zone 'UTC';
  starts timestamptz;
  finish timestamptz;
  name text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('partitions of ' || parent));
  select max(p.ends) into starts from partitions_of(parent) p;
  while starts <= last loop
    finish := ((starts at time zone 'UTC') + step) at time zone 'UTC';
    name := parent || '_' || to_char(starts at time zone 'UTC', 'YYYYMMDD');
    -- Attached rather than made in place: that would lock out everybody who reads or writes the table.
    execute format('create table %I (like %I including defaults including constraints)', name, parent);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, name, starts, finish);
    made := made + 1;
    starts := finish;
  end loop;
  return made;
end $$;

-- Drops the partitions of a table that end no later than an instant, and says how many. An empty `<table>_before` takes
-- their place: a row that comes later still has somewhere to go. Locks the table: to be called with a lock_timeout.
create function drop_partitions(parent text, due timestamptz) returns integer language plpgsql as $$
declare
  before text := parent || '_before';
  names text[];
  finish timestamptz;
  name text;
  has_rows boolean;
begin
  perform pg_advisory_xact_lock(hashtext('partitions of ' || parent));
  select array_agg(p.name), max(p.ends) into names, finish from partitions_of(parent) p where p.ends <= due;
  if names is null then return 0; end if;
  if names = array[before] then
    execute format('select exists (select from %I)', before) into has_rows;
    if not has_rows then return 0; end if;
  end if;
  foreach name in array names loop
    execute format('drop table %I', name);
  end loop;
  execute format('create table %I (like %I including defaults including constraints)', before, parent);
  execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', parent, before, finish);
  return cardinality(names);
end $$;

-- The partitions of a table with the instant each of them ends before.
create function partitions_of(parent text) returns table (name text, ends timestamptz) language sql stable as $$
  select c.relname::text, (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''([^'']+)''\)'))[1]::timestamptz
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = parent::regclass
$$;

-- Makes an existing table the first partition of a new one with the same columns.
create procedure split_by_arrival(parent text, key text, step interval, ahead integer) language plpgsql as $$
declare
  starts timestamptz := (date_trunc(case when step = interval '1 month' then 'month' else 'day' end, now() at time zone 'UTC') + step) at time zone 'UTC';
begin
  execute format('alter table %I rename to %I', parent, parent || '_before');
  execute format('alter table %I drop constraint %I', parent || '_before', parent || '_pkey');
  execute format('create table %I (like %I including defaults including constraints, primary key (%s)) partition by range (received_at)', parent, parent || '_before', key);
  execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', parent, parent || '_before', starts);
  perform make_partitions(parent, step, ahead);
end $$;

alter table receipts add column received_at timestamptz;
update receipts r set received_at = q.received_at from ingest_requests q where q.request_id = r.request_id;
alter table receipts alter column received_at set not null;

drop index ingest_requests_by_application;
drop index events_by_user;
drop index events_by_arrival;
call split_by_arrival('ingest_requests', 'request_id, received_at', interval '1 day', 14);
call split_by_arrival('receipts', 'request_id, message_index, received_at', interval '1 day', 14);
call split_by_arrival('events', 'request_id, message_index, received_at', interval '1 month', 3);
drop procedure split_by_arrival;

create index ingest_requests_by_arrival on ingest_requests (application_id, received_at desc, request_id desc);
create index events_by_user on events (user_id, time desc) where user_id is not null;
create index events_by_arrival on events (application_id, received_at desc);
-- Most messages are simply stored or processed; those that need a look are found by why.
create index receipts_with_reason on receipts (application_id, reason, received_at desc) where reason is not null;
create index message_keys_by_arrival on message_keys (received_at);

-- Requests of known applications that were refused (400, 403, 413, 429), sampled: `unlisted` more of the application's
-- were refused since its last entry.
create table refused_requests (
  request_id uuid primary key,
  application_id uuid not null,
  received_at timestamptz not null,
  path text not null,
  status smallint not null,
  code text not null,
  key_id uuid not null,
  -- Where it came from, for those refused because of it.
  address text,
  errors jsonb not null default '[]',
  unlisted integer not null default 0
);
create index refused_requests_by_arrival on refused_requests (application_id, received_at desc, request_id desc);
create index refused_requests_by_age on refused_requests (received_at);

-- Records that no transaction could hold, with their original bytes. A replay puts the bytes on the topic again with the
-- letter's id; the consumer that set it aside takes it once more, by changing `replaying` to `replayed`.
create table dead_letters (
  id uuid primary key,
  consumer text not null check (consumer in ('users', 'events')),
  application_id uuid,
  request_id uuid,
  topic text not null,
  partition integer not null,
  record_offset bigint not null,
  -- Of the value and headers: a topic that was made anew counts from 0 again.
  content_hash bytea not null,
  record_key bytea,
  headers jsonb not null,
  value bytea,
  error_class text not null check (error_class in ('unreadable', 'data')),
  sql_state text,
  status text not null default 'waiting' check (status in ('waiting', 'replaying', 'replayed', 'discarded')),
  replays integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (consumer, topic, partition, record_offset, content_hash)
);
create index dead_letters_by_application on dead_letters (application_id, id desc);
create index dead_letters_by_age on dead_letters (created_at);

-- Ids of users who were deleted, hashed: a record accepted before that does not bring them back.
create table deleted_identities (
  application_id uuid not null,
  id_hash bytea not null,
  deleted_at timestamptz not null default now(),
  primary key (application_id, id_hash)
);
create index deleted_identities_by_age on deleted_identities (deleted_at);
-- What providers said of a delivery, which may name an address, is found when its recipient is deleted.
create index campaign_events_with_detail on campaign_events (delivery_id) where detail is not null;

alter table applications add column allow_list text[] not null default '{}';

-- A merged definition stays as another name of the one it was merged into.
alter table definitions add column merged_into text collate "C";

-- What a user is searched by; cut, since an index refuses long values.
alter table users
  add column phone_e164 text,
  -- The id that the second duplicate rule compares where an application extends it to users known by customUserId.
  add column first_service_user_id uuid,
  add column email_key text collate "C" generated always as (left(lower(fields ->> 'email'), 320)) stored,
  add column hashed_email_key text collate "C" generated always as (left(fields ->> 'hashedEmail', 320)) stored,
  add column hashed_phone_key text collate "C" generated always as (left(fields ->> 'hashedPhoneNumber', 320)) stored;
create index users_by_email on users (application_id, email_key) where email_key is not null;
create index users_by_phone on users (application_id, phone_e164) where phone_e164 is not null;
create index users_by_hashed_email on users (application_id, hashed_email_key) where hashed_email_key is not null;
create index users_by_hashed_phone on users (application_id, hashed_phone_key) where hashed_phone_key is not null;
