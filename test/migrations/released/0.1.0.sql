-- What Tidings 0.1.0 makes of an empty database. Written by `npm run release:schema`, and never edited:
-- each later version upgrades from here in the tests.
begin;

-- The whole schema, in place of migrations 1 to 76 of checkouts before 0.1.0: a database that has those has all of it.
-- An empty database begins with it, in one transaction. The file is never edited: changes come in files after it.
--
-- Times of the system are timestamptz; times that a caller gave are bigint milliseconds, since any Long is legal.

-- Applications, their keys and settings

create table applications (
  id uuid primary key,
  name text not null,
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  allow_list text[] not null default '{}'
);

create table api_keys (
  id uuid primary key,
  application_id uuid not null references applications (id),
  type text not null check (type in ('server', 'client')),
  name text not null,
  prefix text not null,
  key_hash bytea not null unique,
  allowed_origins text[] not null default '{}',
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_by_application on api_keys (application_id);

-- What the back end of an application signs user tokens with.
create table user_token_secrets (
  application_id uuid primary key references applications (id),
  -- A sealed JSON array: the secret, and the one before it, which goes on counting until previous_secret_until.
  sealed_secrets text not null,
  previous_secret_until timestamptz,
  updated_at timestamptz not null default now()
);

create table channel_settings (
  application_id uuid not null,
  channel text not null,
  settings jsonb not null,
  sealed_secrets text,
  status text not null check (status in ('untested', 'ready')),
  version integer not null default 1,
  updated_at timestamptz not null default now(),
  tested_at timestamptz,
  primary key (application_id, channel)
);
-- A message from a phone names the provider's account, not the application.
create index channel_settings_by_account on channel_settings ((settings ->> 'accountSid')) where channel = 'SMS';

-- A channel of an application whose settings were found wrong in sending: its deliveries are kept until the settings
-- have another version, or a test send succeeds with this one.
create table channel_pauses (
  application_id uuid not null,
  channel text not null,
  -- Of the settings that are wrong: a pause of another version is none.
  version integer not null,
  reason text not null,
  provider_code text,
  provider_message text,
  paused_at timestamptz not null default now(),
  primary key (application_id, channel)
);

-- Breakers that are open, as the workers that hold them report: for pages that show the channel. Nothing is decided
-- by it.
create table channel_breakers (
  application_id uuid not null,
  channel text not null,
  -- Where messages name their own receiver, that one; else empty.
  receiver text not null collate "C",
  -- The worker process.
  owner text not null,
  version integer not null,
  cause text not null check (cause in ('failures', 'rate_limited')),
  opened_at timestamptz not null default now(),
  probe_at timestamptz not null,
  primary key (application_id, channel, receiver, owner)
);

-- Members and administrators

create table admin_tokens (
  id uuid primary key,
  name text not null,
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  -- The first characters, enough to recognise it.
  prefix text not null default '',
  created_by text not null default '',
  last_used_at timestamptz
);

-- Who signs in to the pages. An installation is one organisation: its members see all of its applications.
create table members (
  id uuid primary key,
  -- In small letters, so that one person is one row.
  email text not null unique,
  name text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'marketer', 'viewer')),
  -- Empty until an invitation is accepted, and of those who come by the identity provider alone.
  password_hash text,
  -- Issuer and subject, of those who have come by the identity provider.
  identity text unique,
  created_at timestamptz not null default now(),
  signed_in_at timestamptz
);

create table sessions (
  token_hash bytea primary key,
  member_id uuid not null references members (id) on delete cascade,
  created_at timestamptz not null,
  seen_at timestamptz not null
);
create index sessions_by_member on sessions (member_id);

-- One-time links. One sets the password of its member; without a member it makes the first owner.
create table welcome_links (
  token_hash bytea primary key,
  member_id uuid references members (id) on delete cascade,
  expires_at timestamptz not null
);
create index welcome_links_by_member on welcome_links (member_id);

-- Failed sign-ins. They are counted for an account from an address, for the address, and for the account; the key is a
-- hash of what is counted.
create table sign_in_failures (
  key bytea primary key,
  failures integer not null,
  failed_at timestamptz not null,
  blocked_until timestamptz not null,
  -- When the account was last signed in to from the address.
  let_in_at timestamptz
);

-- Who changed what, by a session or an administrator token. The status is empty while the change is made, and of one
-- whose process died over it.
create table audit_entries (
  id uuid primary key,
  at timestamptz not null,
  actor text not null,
  member_id uuid,
  token_id uuid,
  address text,
  application_id uuid,
  action text not null,
  target jsonb not null,
  detail jsonb not null,
  request_id uuid not null,
  status integer
);
create index audit_entries_by_application on audit_entries (application_id, id desc);
create index audit_entries_by_age on audit_entries (at);

-- The log is append-only but for its retention, which takes nothing that is younger than the shortest there may be.
create function keep_audit_entries() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.status is null
    and to_jsonb(new) - 'status' - 'target' = to_jsonb(old) - 'status' - 'target' then
    return new;
  end if;
  if tg_op = 'DELETE' and old.at < now() - interval '30 days' then
    return old;
  end if;
  raise exception 'an entry of the audit log is never changed, nor deleted before it is 30 days old';
end
$$;
create trigger keep_audit_entries before update or delete on audit_entries
  for each row execute function keep_audit_entries();

-- Users, their ids and devices

-- A phone number as it was written, but for what people put between its signs: what a search compares where there is no
-- E.164 form.
create function phone_signs(phone text) returns text language sql immutable parallel safe
  return lower(regexp_replace(left(phone, 100), '[[:space:]().\-/]', '', 'g'));

-- A row exists from the first sight of any id; registered_at stays empty until a user message with a customUserId.
-- An anonymous user that turns out to be another user points there: its events stay where they are.
create table users (
  id uuid primary key,
  application_id uuid not null,
  custom_user_id text collate "C",
  registered_at timestamptz,
  merged_into uuid,
  fields jsonb not null default '{}',
  custom_attributes jsonb not null default '{}',
  clocks jsonb not null default '{}',
  first_seen_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  phone_e164 text,
  -- The id that the second duplicate rule compares where an application extends it to users known by customUserId.
  first_service_user_id uuid,
  -- What a user is searched by; cut, since an index refuses long values.
  email_key text collate "C" generated always as (left(lower(fields ->> 'email'), 320)) stored,
  hashed_email_key text collate "C" generated always as (left(fields ->> 'hashedEmail', 320)) stored,
  hashed_phone_key text collate "C" generated always as (left(fields ->> 'hashedPhoneNumber', 320)) stored,
  -- One key for every spelling of a mailbox. The code makes it, since Postgres knows no domains of other alphabets. It is
  -- kept only where the address has other characters than printable ASCII: else the address in lower case is the key.
  mailbox_key text collate "C",
  -- The email_key that mailbox_key was made of: after a change of the address alone, it no longer counts.
  mailbox_spelling text collate "C",
  unique (application_id, custom_user_id)
);
create index users_by_merged_into on users (merged_into) where merged_into is not null;
-- A page of users is read from an index of those whom it can show, in the order that it shows them.
create index users_registered on users (application_id, custom_user_id) where registered_at is not null;
create index users_by_email on users (application_id, email_key, custom_user_id) where email_key is not null;
create index users_by_phone on users (application_id, phone_e164, custom_user_id) where phone_e164 is not null;
create index users_by_hashed_email on users (application_id, hashed_email_key, custom_user_id)
  where hashed_email_key is not null;
create index users_by_hashed_phone on users (application_id, hashed_phone_key, custom_user_id)
  where hashed_phone_key is not null;
create index users_by_phone_signs on users (application_id, phone_signs(fields ->> 'phoneNumber'), custom_user_id)
  where fields ->> 'phoneNumber' is not null;
-- The country of a number that begins with a plus is its own.
create index users_with_national_phone on users (application_id, id)
  where fields ->> 'phoneNumber' is not null and not starts_with(fields ->> 'phoneNumber', '+');
-- Search of users by an address in another spelling.
create index users_by_mailbox on users (application_id, mailbox_key, custom_user_id) where mailbox_key is not null;
-- Users whose key is to be made, which is none after an upgrade.
create index users_without_mailbox_key on users (id)
  where email_key ~ '[^!-~]' and mailbox_spelling is distinct from email_key;
-- Users who have never registered go when nothing was heard of them for as long as held events are kept.
create index users_unregistered_by_age on users (updated_at) where registered_at is null and merged_into is null;

create table user_identities (
  application_id uuid not null,
  service_user_id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null default now(),
  -- A Client key, or a device that it registered, joined the serviceUserId to its person: these are bounded for each
  -- person.
  by_client_key boolean not null default false,
  primary key (application_id, service_user_id)
);
create index user_identities_by_user on user_identities (user_id);

-- Ids of users who were deleted, hashed: a record accepted before that does not bring them back.
create table deleted_identities (
  application_id uuid not null,
  id_hash bytea not null,
  deleted_at timestamptz not null default now(),
  primary key (application_id, id_hash)
);
create index deleted_identities_by_age on deleted_identities (deleted_at);

-- Applications whose default country has changed: the phone numbers of their users up to this one are renewed.
create table phone_renewals (
  application_id uuid primary key,
  after_user_id uuid not null
);

-- Installations of the SDK: a browser, or an app on a phone. The id is the installation's own.
create table devices (
  application_id uuid not null,
  device_id text not null collate "C",
  user_id uuid not null,
  kind text not null check (kind in ('web_push', 'fcm', 'none')),
  -- Where it is reached: a subscription as JSON, or a token; null where it never subscribed, or is not reached any
  -- more.
  address text,
  -- SHA-256 of the subscription's endpoint, or of the token.
  address_hash bytea,
  time_zone text,
  locale text,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  -- The person that the device proved to be used by: its messages, pushes and receipts follow this alone. Null until
  -- the next proof of devices from before, since nothing recorded how they were identified.
  proved_user_id uuid,
  -- The device's user_id when it gave its proof: proved_user_id counts only while both are the same. A version that
  -- knows no proofs changes user_id alone, at a log-out or for another person, and so ends the proof.
  user_id_at_proof uuid,
  primary key (application_id, device_id),
  -- One place is one device: the last to register it has it.
  unique (application_id, address_hash)
);
create index devices_by_user on devices (user_id);
create index devices_by_proved_user on devices (proved_user_id) where proved_user_id is not null;
-- Devices without a user that were not seen for long are forgotten, the oldest first.
create index devices_by_seen_at on devices (seen_at);

-- Addresses that nothing is sent to, in any campaign: for SMS a number in E.164 whose owner has answered STOP.
create table suppressions (
  id uuid primary key default uuidv7(),
  application_id uuid not null,
  channel text not null,
  address text not null collate "C",
  reason text not null,
  created_at timestamptz not null default now(),
  -- A mailbox is suppressed by a row with its key as address. A row of another spelling names the key here.
  mailbox_key text collate "C",
  unique (application_id, channel, address, reason)
);
-- Spellings of a suppressed mailbox, and those whose key is to be made, which are none after an upgrade.
create index suppressions_by_mailbox on suppressions (mailbox_key, application_id)
  where channel = 'EMAIL' and address ~ '[^!-~]';

-- Named conditions over users, as they are now. An archived one is not found; its versions stay, and it may come back.
create table segments (
  application_id uuid not null,
  slug text not null collate "C",
  name text not null,
  condition jsonb not null,
  version integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  updated_by text not null,
  archived_at timestamptz,
  primary key (application_id, slug)
);

-- Each version that a segment had, never changed.
create table segment_versions (
  application_id uuid not null,
  slug text not null collate "C",
  version integer not null,
  name text not null,
  condition jsonb not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (application_id, slug, version)
);

-- Partitions
--
-- Tables that grow with every request are split by arrival (never by a time that a caller gave), so that what is past
-- its retention goes as a whole. The functions below are called here and, for as long as the installation lives, by the
-- retention loop of the events consumer.

-- The partitions of a table with the instant each of them ends before. It reads instants out of text, which is written
-- in the style of its caller: hence the setting.
create function partitions_of(parent text) returns table (name text, ends timestamptz)
language sql stable set datestyle = 'ISO' as $$
  select c.relname::text, (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''([^'']+)''\)'))[1]::timestamptz
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = parent::regclass
$$;

-- Makes the partitions of a table up to the period we are in and `ahead` more, and says how many. Begins where the last
-- one ends: after a long stop the records of the time between are still to be stored.
create function make_partitions(parent text, step interval, ahead integer, at timestamptz default now())
returns integer language plpgsql as $$
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

-- Drops the partitions of a table that end no later than an instant, at most five at a time, the oldest first: all who
-- use the table wait while they go. Says how many went. An empty `<table>_before` takes their place: a row that comes
-- later still has somewhere to go. Locks the table: to be called with a lock_timeout.
create function drop_partitions(parent text, due timestamptz) returns integer language plpgsql as $$
declare
  before text := parent || '_before';
  names text[];
  finish timestamptz;
  name text;
  has_rows boolean;
begin
  perform pg_advisory_xact_lock(hashtext('partitions of ' || parent));
  select array_agg(p.name order by p.ends), max(p.ends) into names, finish
  from (select * from partitions_of(parent) q where q.ends <= due order by q.ends limit 5) p;
  if names is null then return 0; end if;
  if names = array[before] then
    execute format('select exists (select from %I)', before) into has_rows;
    if not has_rows then return 0; end if;
  end if;
  foreach name in array names loop
    execute format('drop table %I', name);
  end loop;
  execute format('create table %I (like %I including defaults including constraints)', before, parent);
  execute format(
    'alter table %I attach partition %I for values from (minvalue) to (%L)', parent, before, finish);
  return cardinality(names);
end $$;

-- Events

-- Rows are never deleted, so a slug is never given twice.
create table definitions (
  application_id uuid not null,
  slug text not null collate "C",
  kind text not null check (kind in ('action', 'revenue', 'businessEvent')),
  name text not null collate "C",
  origin text not null check (origin in ('auto', 'predefined')),
  discarded boolean not null default false,
  created_at timestamptz not null default now(),
  -- A merged definition stays as another name of the one it was merged into.
  merged_into text collate "C",
  -- A Client key sent its name first: it counts in the budget of Client keys.
  by_client_key boolean not null default false,
  -- The row of a deleted definition stays: its slug is never given to another name.
  deleted_at timestamptz,
  primary key (application_id, slug),
  unique (application_id, kind, name)
);

-- New definitions that Client keys may make: a token bucket for each application. No row: it is full.
create table client_definition_budgets (
  application_id uuid primary key,
  tokens double precision not null,
  refilled_at timestamptz not null
);

-- One row per record of the ingest topic; each consumer takes a record once.
create table ingest_requests (
  request_id uuid not null,
  application_id uuid not null,
  received_at timestamptz not null,
  message_count integer not null,
  taken_by_users boolean not null default false,
  taken_by_events boolean not null default false,
  primary key (request_id, received_at)
) partition by range (received_at);

-- What became of each message. 'stored' is an event's: readers show processed, pending or held by its user's
-- registration.
create table receipts (
  request_id uuid not null,
  message_index integer not null,
  application_id uuid not null,
  message_id text not null,
  type text not null,
  outcome text not null check (outcome in ('pending', 'stored', 'processed', 'duplicate', 'dropped')),
  reason text,
  user_id uuid,
  received_at timestamptz not null,
  primary key (request_id, message_index, received_at)
) partition by range (received_at);

create table events (
  request_id uuid not null,
  message_index integer not null,
  application_id uuid not null,
  user_id uuid,
  message_id text not null,
  type text not null,
  slug text not null,
  time bigint not null,
  received_at timestamptz not null,
  attributes jsonb,
  revenue double precision,
  currency text,
  -- False of the events that were stored before the trigger that counts by time, and of no other. Those are counted in
  -- the background.
  is_counted_by_time boolean not null default true,
  -- Whether the sender is known to speak for the event's user; null of events from before.
  is_proved boolean,
  primary key (request_id, message_index, received_at)
) partition by range (received_at);

-- The first partition of each holds all that arrives before the next period.
do $$
declare
  split record;
  starts timestamptz;
begin
  for split in
    select * from (values
      ('ingest_requests', 'day', interval '1 day', 14),
      ('receipts', 'day', interval '1 day', 14),
      ('events', 'month', interval '1 month', 3)) as t (parent, unit, step, ahead)
  loop
    starts := (date_trunc(split.unit, now() at time zone 'UTC') + split.step) at time zone 'UTC';
    execute format('create table %I (like %I including defaults including constraints)',
      split.parent || '_before', split.parent);
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)',
      split.parent, split.parent || '_before', starts);
    perform make_partitions(split.parent, split.step, split.ahead);
  end loop;
end $$;

create index ingest_requests_by_arrival on ingest_requests (application_id, received_at desc, request_id desc);
-- Most messages are simply stored or processed; those that need a look are found by why.
create index receipts_with_reason on receipts (application_id, reason, received_at desc) where reason is not null;
create index events_by_user on events (user_id, time desc) where user_id is not null;
create index events_by_arrival on events (application_id, received_at desc);
-- Questions about all users read this index alone: who did something in a time.
create index events_by_definition on events (application_id, slug, time) include (user_id, revenue, currency)
  where user_id is not null;
-- Questions about one user: the newest events of a definition, however many events the user has.
create index events_by_user_and_definition on events (user_id, slug, time desc) include (revenue, currency)
  where user_id is not null;

-- The receipt of an event without one, or with a pending one, is derived from the event. When the event goes before
-- its request, the trigger writes the receipt, so that the log still has it. It names no user: most such events go
-- because their user is deleted. It also does this for the version before, which does not know derived receipts.
create function leave_receipts() returns trigger language plpgsql as $$
begin
  insert into receipts as r (request_id, message_index, application_id, message_id, type, outcome, received_at)
  select g.request_id, g.message_index, g.application_id, g.message_id, g.type, 'stored', g.received_at
  from gone g
  where exists (
      select from ingest_requests q where q.request_id = g.request_id and q.received_at = g.received_at offset 0)
    and not exists (
      select from receipts p
      where p.request_id = g.request_id and p.message_index = g.message_index and p.received_at = g.received_at
        and p.outcome <> 'pending'
      offset 0)
  on conflict (request_id, message_index, received_at) do update set outcome = 'stored' where r.outcome = 'pending';
  return null;
end $$;

create trigger leave_receipts after delete on events referencing old table as gone
  for each statement execute function leave_receipts();

-- The ids and times that processed messages used up; both duplicate rules are unique keys here.
create table message_keys (
  application_id uuid not null,
  message_id text not null collate "C",
  request_id uuid not null,
  message_index integer not null,
  service_user_id uuid,
  time bigint,
  received_at timestamptz not null,
  -- Ids of messages are in a name space of their own for each type of key.
  origin text not null default 'server',
  -- A version without name spaces wrote the row: it holds its id for both types of key.
  holds_both boolean not null default true,
  primary key (application_id, message_id, origin)
);
create unique index message_keys_by_user_time on message_keys (application_id, service_user_id, time)
  where service_user_id is not null;
-- What a version without name spaces writes holds both, so a message that one version stored is a duplicate for the
-- other.
create unique index message_keys_of_clients on message_keys (application_id, message_id)
  where holds_both or origin = 'client';
create index message_keys_by_arrival on message_keys (received_at);

-- The ids and times that processed messages used up; both duplicate rules are unique keys here. It takes the place of
-- message_keys, whose keys are random texts: their index outgrows the cache three times as early.
create table duplicate_keys (
  -- duplicate_key('application:origin:message id'): ids are in a name space of their own for each type of key.
  id_key uuid primary key,
  -- duplicate_key('application:serviceUserId:time'), where the second rule applies. A hash names no user, so a deletion
  -- leaves it as it is.
  user_time_key uuid,
  request_id uuid not null,
  message_index integer not null,
  received_at timestamptz not null
);
create unique index duplicate_keys_by_user_time on duplicate_keys (user_time_key) where user_time_key is not null;
-- Not BRIN: its ranges only widen when rows fill the space of deleted ones. Each retention pass would then read most
-- of the table.
create index duplicate_keys_by_arrival on duplicate_keys (received_at);

-- The first 128 bits of SHA-256. packages/events/src/decide-duplicates.ts computes the same. Null for null.
create function duplicate_key(text text) returns uuid language sql stable parallel safe as $$
  select encode(substr(sha256(convert_to(text, 'UTF8')), 1, 16), 'hex')::uuid
$$;

-- The messages that hold an id, at most one of each type of key, whichever version stored them.
create function holders_of(application uuid, message text)
returns table (origin text, request_id uuid, message_index integer, received_at timestamptz)
language sql stable as $$
  select o.origin, k.request_id, k.message_index, k.received_at
  from (values ('server'), ('client')) as o(origin)
  join duplicate_keys k on k.id_key = duplicate_key(application || ':' || o.origin || ':' || message)
  union
  select k.origin, k.request_id, k.message_index, k.received_at
  from message_keys k
  where k.application_id = application and k.message_id = message and k.origin in ('server', 'client')
$$;

-- The bridge to the version before
--
-- That version writes and reads message_keys alone; this one writes duplicate_keys alone. The triggers let both work at
-- once, and let that version work again after a rollback:
-- - Each key that it writes is also written here. The unique keys of this table thus decide between both versions.
-- - A key that is taken here is shown to it in message_keys: it reads there why its insert was skipped.
-- - A key that it gives back is given back here.
-- Rows that message_keys had before are not moved. Both versions look for them there until their retention is over.

create function bridge_new_key() returns trigger language plpgsql as $$
declare
  id uuid := duplicate_key(new.application_id || ':' || new.origin || ':' || new.message_id);
  user_time uuid := duplicate_key(new.application_id || ':' || new.service_user_id || ':' || new.time);
begin
  -- What that version finds itself is not written here: a duplicate would take its other key.
  if not exists (
    select from message_keys k
    where k.application_id = new.application_id and k.message_id = new.message_id
      and (k.origin = new.origin or k.holds_both)
  ) and not exists (
    select from message_keys k
    where k.application_id = new.application_id and k.service_user_id = new.service_user_id and k.time = new.time
  ) then
    insert into duplicate_keys (id_key, user_time_key, request_id, message_index, received_at)
    values (id, user_time, new.request_id, new.message_index, new.received_at)
    on conflict do nothing;
    if found then return new; end if;
  end if;
  -- The id of who holds a time is not known here: another stands for it, in a name space of its own.
  insert into message_keys (
    application_id, message_id, origin, holds_both, service_user_id, time, request_id, message_index, received_at)
  select new.application_id, new.message_id, new.origin, false, null::uuid, null::bigint,
         k.request_id, k.message_index, k.received_at
  from duplicate_keys k where k.id_key = id
  union all
  select new.application_id, gen_random_uuid()::text, 'user_time', false, new.service_user_id, new.time,
         k.request_id, k.message_index, k.received_at
  from duplicate_keys k where k.user_time_key = user_time
  on conflict do nothing;
  return null;
end $$;

-- Not for the rows that the function itself inserts.
create trigger bridge_new_key before insert on message_keys
  for each row when (pg_trigger_depth() = 0) execute function bridge_new_key();

create function bridge_deleted_key() returns trigger language plpgsql as $$
begin
  delete from duplicate_keys
  where id_key = duplicate_key(old.application_id || ':' || old.origin || ':' || old.message_id)
    and request_id = old.request_id and message_index = old.message_index;
  return null;
end $$;

create trigger bridge_deleted_key after delete on message_keys
  for each row execute function bridge_deleted_key();

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
  unlisted integer not null default 0,
  -- Of whom it was, where its envelope says so: the customUserId or, without one, the serviceUserId.
  custom_user_id text collate "C",
  service_user_id uuid
);
create index refused_requests_by_arrival on refused_requests (application_id, received_at desc, request_id desc);
create index refused_requests_by_age on refused_requests (received_at);
create index refused_requests_by_user
  on refused_requests (application_id, custom_user_id, received_at desc, request_id desc)
  where custom_user_id is not null;
create index refused_requests_by_service_user
  on refused_requests (application_id, service_user_id, received_at desc, request_id desc)
  where service_user_id is not null;

-- Records that no transaction could hold, with their original bytes. A replay puts the bytes on the topic again with
-- the letter's id; the consumer that set it aside takes it once more, by changing `replaying` to `replayed`.
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

-- Sums
--
-- What pages show of large tables without reading them, written by the statements that store the rows. Each connection
-- adds to rows of its own, so that none waits for another's transaction; those of the past are folded into one
-- (backend 0) by the retention.

-- By time of arrival.
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

create function count_ingest_requests() returns trigger language plpgsql as $$
begin
  insert into ingest_minutes as m (application_id, minute, backend, requests, messages)
  select application_id, date_trunc('minute', received_at), pg_backend_pid(), count(*), sum(message_count)
  from added group by 1, 2 order by 1, 2
  on conflict (application_id, minute, backend) do update
  set requests = m.requests + excluded.requests, messages = m.messages + excluded.messages;
  return null;
end $$;
create trigger count_ingest_requests after insert on ingest_requests referencing new table as added
  for each statement execute function count_ingest_requests();

-- Events by time of arrival as they were stored, those of users who are not registered yet included; what is deleted
-- later stays counted. Hours that are past their retention become one row (hour -infinity) of each definition and
-- currency.
create table definition_hours (
  application_id uuid not null,
  slug text not null collate "C",
  hour timestamptz not null,
  -- Of revenue: its currency; else empty.
  currency text not null,
  backend integer not null,
  events bigint not null,
  -- Exact, and without an end: doubles that any caller may send would add up to more than a double holds.
  revenue numeric not null,
  last_received_at timestamptz not null,
  primary key (application_id, slug, hour, currency, backend)
) with (fillfactor = 50);
create index definition_hours_to_fold on definition_hours (hour) where backend <> 0;
create index definition_hours_by_age on definition_hours (hour) where backend = 0;

create function count_events() returns trigger language plpgsql as $$
begin
  insert into definition_hours as h
    (application_id, slug, hour, currency, backend, events, revenue, last_received_at)
  select application_id, slug, date_trunc('hour', received_at), coalesce(currency, ''), pg_backend_pid(), count(*),
    coalesce(sum(revenue::numeric), 0), max(received_at)
  from added group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (application_id, slug, hour, currency, backend) do update
  set events = h.events + excluded.events, revenue = h.revenue + excluded.revenue,
    last_received_at = greatest(h.last_received_at, excluded.last_received_at);
  return null;
end $$;
create trigger count_events after insert on events referencing new table as added
  for each statement execute function count_events();

-- Events and revenue by the quarter hour in which they happened, so that hours and days of every time zone add up,
-- those of :30 and :45 too.
create table event_quarters (
  application_id uuid not null,
  slug text not null collate "C",
  -- 'infinity': of events that no chart has a place for, see event_quarter. '-infinity': of what is past the retention
  -- of charts.
  quarter timestamptz not null,
  -- Of revenue: its currency; else empty.
  currency text not null,
  -- The connection that counted. 0: folded. -1: by the hour of arrival, of events that were deleted before they could
  -- be counted by time.
  backend integer not null,
  events bigint not null,
  revenue numeric not null,
  primary key (application_id, slug, quarter, currency, backend)
) with (fillfactor = 50);
create index event_quarters_to_fold on event_quarters (quarter) where backend > 0;
create index event_quarters_by_age on event_quarters (quarter) where backend <= 0;
create index event_quarters_of_revenue on event_quarters (application_id, quarter) where currency <> '';

-- A time may be any integer. One that is more than 400 days before the arrival, or more than a day after it, is a
-- mistake of a clock or a unit: 'infinity', which keeps the quarters of an application to a bounded number. Doubles
-- hold every millisecond that is near.
create function event_quarter("time" bigint, received_at timestamptz) returns timestamptz
language sql stable parallel safe
  return case
    when "time"::float8 - round(date_part('epoch', received_at) * 1000) between -400 * 86400000.0::float8 and 86400000
    then to_timestamp("time" / 900000 * 900)
    else 'infinity' end;

-- Rows in the order of the key, so that two batches never wait for each other in a circle.
create function count_events_by_time() returns trigger language plpgsql as $$
begin
  insert into event_quarters as q (application_id, slug, quarter, currency, backend, events, revenue)
  select application_id, slug, event_quarter(time, received_at), coalesce(currency, ''), pg_backend_pid(), count(*),
    coalesce(sum(revenue::numeric), 0)
  from added group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (application_id, slug, quarter, currency, backend) do update
  set events = q.events + excluded.events, revenue = q.revenue + excluded.revenue;
  return null;
end $$;
create trigger count_events_by_time after insert on events referencing new table as added
  for each statement execute function count_events_by_time();

-- How far the events that were stored before the counting by time are counted: from the newest arrival on, back to
-- `before`. An application without a row has none.
create table event_recounts (
  application_id uuid primary key,
  before timestamptz not null,
  -- When the trigger was there.
  trigger_at timestamptz not null default now(),
  -- Sums by arrival that stay are taken over definition by definition: of hours before `arrivals_before`, of the slugs
  -- after `arrivals_slug`. Null: none is left.
  arrivals_before timestamptz,
  arrivals_slug text collate "C" not null default ''
);

-- Templates

-- Named messages with Liquid, as they are now. An archived one is not found; its versions stay, and it may come back.
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

-- Campaigns

create table campaigns (
  id uuid primary key,
  application_id uuid not null,
  channel text not null,
  lane text not null,
  purpose text not null,
  source text not null check (source in ('api', 'dashboard', 'test')),
  status text not null check (status in ('queued', 'sending', 'paused', 'completed', 'canceled', 'failed')),
  message jsonb not null,
  recipients_requested integer not null,
  recipients_unique integer not null,
  created_by text not null,
  request_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  started_at timestamptz,
  expanded_at timestamptz,
  completed_at timestamptz,
  p50_ms bigint,
  p95_ms bigint,
  -- When its failures were last made due again: its time to be handed over counts from then.
  retried_at timestamptz,
  -- The trace of the request that a campaign came with.
  trace_id text,
  -- Below which span the spans of a campaign belong (https://www.w3.org/TR/trace-context/); null where it is not
  -- traced.
  traceparent text,
  -- What became of each recipient is kept for some time, the campaign with its counters for longer: since when the rows
  -- of its recipients go (deliveries with their addresses, event log and chunks).
  recipients_forgotten_at timestamptz,
  -- Whether there may be any.
  has_recipient_rows boolean not null default true,
  -- Whom a campaign to a segment is for, and when its recipients were read: its lane is `snapshot` until then.
  audience jsonb,
  snapshot_at timestamptz,
  -- When it begins, if not at once; `send_at_local` is a time without a zone, which each recipient has at another
  -- instant. Its lane is `scheduled` until then.
  send_at timestamptz,
  send_at_local text,
  -- The templates that it splits its recipients between, as they were when it was accepted. Null: its message is sent as
  -- it is. Otherwise `message` is null, as JSON.
  templates jsonb,
  -- What is known of reading the recipients of a campaign to a segment, so that a costly segment is tried a bounded
  -- number of times, also when the process or Postgres ends in between. Tries that began, except those that ended by
  -- their time or with the process.
  snapshot_tries integer not null default 0,
  snapshot_tried_at timestamptz,
  -- When its first try took too long: from then on it is tried in the slow lane alone.
  snapshot_slow_at timestamptz,
  -- Why it is failed.
  failure_reason text
);
create index campaigns_by_application on campaigns (application_id, id desc);
create index campaigns_at_work on campaigns (id) where status in ('queued', 'sending', 'paused');
-- Large campaigns take turns by application, while they are expanded and while they are sent.
create index campaigns_at_work_in_bulk on campaigns (application_id, channel, id)
  where lane = 'bulk' and status in ('queued', 'sending');
create index campaigns_with_recipient_rows on campaigns (id)
  where has_recipient_rows and recipients_forgotten_at is null;
create index campaigns_being_forgotten on campaigns (id)
  where has_recipient_rows and recipients_forgotten_at is not null;
-- Finds campaigns whose time has come.
create index campaigns_scheduled on campaigns (send_at) where lane = 'scheduled' and status = 'queued';
-- Campaigns with a local time, while they are expanded.
create index campaigns_with_local_time on campaigns (application_id, id)
  where lane = 'local' and status in ('queued', 'sending');
-- Campaigns that sweeps read each second: not those that wait for their time, of which there may be a million.
create index campaigns_begun on campaigns (id)
  where lane <> 'scheduled' and status in ('queued', 'sending', 'paused');
-- Campaigns to a segment that took long to read: a later push to the same segment gets a warning.
create index campaigns_slow on campaigns (application_id, snapshot_slow_at) where snapshot_slow_at is not null;

-- The slow lane: an application stands in it with one campaign, and the one that stands longest is tried next.
create table slow_snapshots (
  application_id uuid primary key,
  campaign_id uuid not null,
  since timestamptz not null default now()
);

-- What callers may repeat: the key of a push, the hash of the body it came with, and what it was answered. Written in
-- the statement that stores the campaign, so there is never one without the other.
create table idempotency_keys (
  application_id uuid not null,
  key text not null collate "C",
  body_hash bytea not null,
  answer text not null,
  -- Whether the answer has that warning; the rest of it is known before anything is stored.
  channel_untested boolean not null,
  created_at timestamptz not null default now(),
  campaign_id uuid not null,
  primary key (application_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- The recipients of a campaign as accepted, 200 to a chunk; emptied when the chunk has become deliveries.
create table campaign_chunks (
  campaign_id uuid not null references campaigns (id),
  chunk_no integer not null,
  recipients jsonb,
  expanded_at timestamptz,
  -- When the sweep looks at the chunk next; set while a row of it may have to be sent, so that finding work costs a
  -- look at chunks, not at deliveries.
  due_at timestamptz,
  announced_partition integer,
  announced_offset bigint,
  -- An action on the campaign changes its rows chunk by chunk: what has yet to be done to those of this one.
  pending_action text check (pending_action in ('cancel', 'retry-failed')),
  -- The lane of its campaign, so that due chunks of either lane are found while any number waits in the other.
  lane text not null default 'express',
  -- No later than this the first lease of a send ends whose outcome is not recorded; null where there is none.
  leased_until timestamptz,
  -- Since when unknown recipients of it are looked up; null where there are none any more.
  unresolved_at timestamptz,
  -- When due_at, leased_until and unresolved_at were written, by the clock of Postgres: what was written while that
  -- clock was ahead does not wait for it.
  written_at timestamptz,
  -- Recipients of it whose hour of `send_at_local` had passed when the campaign began.
  local_time_passed integer,
  -- How many processes began to render rows of a personalised chunk and have not taken their note back, and, once they
  -- are rendered one by one, which rows are being rendered.
  renderings smallint not null default 0,
  rendered_rows uuid[] not null default '{}',
  primary key (campaign_id, chunk_no)
);
create index campaign_chunks_to_expand on campaign_chunks (campaign_id, chunk_no) where expanded_at is null;
create index campaign_chunks_to_change on campaign_chunks (campaign_id, chunk_no) where pending_action is not null;
create index campaign_chunks_due on campaign_chunks (due_at) where due_at is not null and lane = 'express';
create index campaign_chunks_due_in_bulk on campaign_chunks (campaign_id, due_at)
  where due_at is not null and lane = 'bulk';
create index campaign_chunks_leased on campaign_chunks (leased_until) where leased_until is not null;
create index campaign_chunks_unresolved on campaign_chunks (unresolved_at) where unresolved_at is not null;
create index campaign_chunks_written on campaign_chunks (written_at)
  where due_at is not null or leased_until is not null or unresolved_at is not null;

-- Chunks of a campaign with templates have negative numbers: a worker that knows no templates skips their dispatch
-- records, and so never sends a template as it is. Of a campaign to a segment, either version may make the chunks.
create function number_personalised_chunks() returns trigger language plpgsql as $$
begin
  update campaign_chunks set chunk_no = chunk_no - chunks.n
  from (select max(chunk_no) + 1 as n from campaign_chunks where campaign_id = new.id) as chunks
  where campaign_id = new.id;
  return new;
end $$;

create trigger number_personalised_chunks before update of lane on campaigns for each row
  when (old.lane = 'snapshot' and new.templates is not null) execute function number_personalised_chunks();

-- A worker of the version before does not ask a segment again: it would send to users who left it. So chunks of a
-- campaign with `recheck` have negative numbers too, unless they already have because of its templates.
create trigger number_rechecked_chunks before update of lane on campaigns for each row
  when (old.lane = 'snapshot' and new.templates is null and (new.audience ->> 'recheck')::boolean)
  execute function number_personalised_chunks();

-- One row per recipient of a campaign: the only truth about what was sent (see packages/channel-worker/README.md).
--
-- A delivery is updated three times on its way. No index may name a column that changes then (nor may its condition):
-- Postgres would write a new entry into every index of the table each time. What has to be found by time is found by
-- its chunk, and what is rare has a table of its own.
--
-- fillfactor: a claim rewrites all rows of a page in one statement. Half of a page has to be free for that, or the
-- other half of the new versions goes to other pages, with an entry in every index each.
-- autovacuum_analyze_scale_factor: a delivery is inserted once and updated three times, and each counts. Analyzed after
-- as many changes as the tenth part of their rows, which is the default, deliveries and their addresses would be at
-- every fortieth part of new ones, while they are sent.
create table deliveries (
  id uuid primary key default uuidv7(),
  campaign_id uuid not null,
  chunk_no integer not null,
  application_id uuid not null,
  channel text not null,
  custom_user_id text not null collate "C",
  user_id uuid,
  -- Where a test send goes instead of to a user.
  test_address text,
  state text not null,
  reason text,
  fence integer not null default 0,
  owner text,
  lease_until timestamptz,
  attempts integer not null default 0,
  next_at timestamptz not null default now(),
  provider_id text,
  provider_code text,
  provider_message text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  updated_at timestamptz not null default now(),
  -- What becomes known after a delivery was handed over. Its state says how far it came; these times, here and below,
  -- say when that was first reported, and what is noted beside the state.
  delivered_at timestamptz,
  -- When the provider was last asked what became of a send whose outcome is unknown.
  looked_up_at timestamptz,
  -- How often a send whose outcome is unknown was put down to be made again.
  doubts integer not null default 0,
  -- Of versions before: provider_ids has these ids. It goes when no version writes it any more.
  lookup_id text,
  displayed_at timestamptz,
  opened_at timestamptz,
  clicked_at timestamptz,
  dismissed_at timestamptz,
  -- By a scanner or a proxy: no person has read anything.
  machine_opened_at timestamptz,
  machine_clicked_at timestamptz,
  complained_at timestamptz,
  unsubscribed_at timestamptz,
  -- Since when its addresses have rows of their own; null before, and on channels where a user has one.
  addressed_at timestamptz,
  -- The day (YYYY-MM-DD) that counts it against the daily cap, where it has several addresses: it counts once.
  counted_on text,
  -- Most users have one device on a channel: their delivery is claimed, armed and settled itself, as on other channels,
  -- and this is the device that it goes to since it was first claimed. Null before, where the user had none, in a test
  -- send, where it has several (those have rows in delivery_addresses), and when the user was deleted since.
  device_id text collate "C",
  -- What the refusal of a mail server meant, as {"class","evidence"}.
  bounce jsonb,
  unique (campaign_id, custom_user_id)
) with (fillfactor = 45, autovacuum_analyze_scale_factor = 0.4);
-- Ends with id: rows of a chunk come in order, so that no plan reads the whole campaign for the sake of it, as one did
-- that was kept from empty tables.
create index deliveries_in_chunks on deliveries (campaign_id, chunk_no, id);
-- What a user was sent. The user of a delivery changes only where he was unknown at first, and when he is deleted.
create index deliveries_by_user on deliveries (user_id, id) where user_id is not null;

-- Where a user has several addresses on a channel (his devices), one row for each that a delivery goes to: it is
-- claimed, armed and settled by itself, and the delivery is the fold of its rows. Where the device is reached, the
-- device says. As of deliveries no index names a column that a send changes.
create table delivery_addresses (
  delivery_id uuid not null,
  -- From 0 on, the device that was seen last first.
  address_no smallint not null,
  campaign_id uuid not null,
  chunk_no integer not null,
  -- Null in a test send, where the user had no device, and when the user was deleted since.
  device_id text collate "C",
  state text not null,
  reason text,
  fence integer not null,
  owner text,
  lease_until timestamptz,
  attempts integer not null default 0,
  doubts integer not null default 0,
  next_at timestamptz not null default now(),
  provider_id text,
  provider_code text,
  provider_message text,
  sent_at timestamptz,
  updated_at timestamptz not null default now(),
  primary key (delivery_id, address_no)
) with (fillfactor = 45, autovacuum_analyze_scale_factor = 0.4);
create index delivery_addresses_by_chunk on delivery_addresses (campaign_id, chunk_no);

-- What was filled into the personal message of a delivery: from it the same words come back. Written when the delivery is
-- first marked as sending.
create table delivery_data (
  campaign_id uuid not null,
  delivery_id uuid not null,
  application_id uuid not null,
  -- A hash of the words.
  words uuid not null,
  rendered_at timestamptz not null,
  -- Place in campaigns.templates, and of the variant in it; null: the template's own message.
  template_no smallint not null,
  variant_no smallint,
  -- RENDERER_VERSION in packages/templates/src/filling.ts.
  renderer smallint not null,
  -- JSON. No statement reads it.
  filled_in text not null,
  primary key (campaign_id, delivery_id)
);

-- Deltas of the statements that change deliveries, spread over shards so that no row is hot.
create table campaign_counters (
  campaign_id uuid not null,
  state text not null,
  reason text not null,
  shard smallint not null,
  n bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (campaign_id, state, reason, shard)
);

-- What is counted of a campaign beside its states: failed mails by the class of their bounce, and opens and clicks of
-- machines. Nothing recounts it.
create table campaign_tallies (
  campaign_id uuid not null,
  kind text not null check (kind in ('bounced', 'machine_opened', 'machine_clicked')),
  -- Of a bounce; empty for other kinds.
  class text not null,
  shard smallint not null,
  n bigint not null,
  primary key (campaign_id, kind, class, shard)
);

-- The event log. Of what is only ever added to, a larger sample says little that a smaller did not: analyzed less
-- often.
create table campaign_events (
  seq bigint generated always as identity primary key,
  campaign_id uuid not null,
  at timestamptz not null default now(),
  type text not null,
  delivery_id uuid,
  attempt integer,
  status text,
  reason text,
  provider_code text,
  detail text,
  -- An entry that an attempt made is also the record of that attempt: by which claim, when it was armed (it ended when
  -- it was logged), what the channel made of the provider's answer, and how long that took.
  fence integer,
  armed_at timestamptz,
  outcome text,
  duration_ms integer,
  -- The address of the delivery that an entry is about; null where it is about all of it.
  address_no smallint,
  -- The channel that an entry is about, where that is not its campaign's: people choose for several at the link of one
  -- mail.
  channel text,
  -- What a mail server said of a mail that it accepted, where that does not name the recipient. Other words of providers
  -- are in detail, which has an index: they are found when their recipient is deleted. Nearly all entries are of
  -- accepted mails, and need none.
  response text,
  -- What the refusal of a mail server meant.
  bounce jsonb
) with (autovacuum_analyze_scale_factor = 0.3);
create index campaign_events_by_campaign on campaign_events (campaign_id, seq);
-- What providers said of a delivery, which may name an address, is found when its recipient is deleted.
create index campaign_events_with_detail on campaign_events (delivery_id) where detail is not null;
-- A campaign says once a day that it met the cap.
create unique index campaign_events_spend_capped on campaign_events (campaign_id, detail)
  where type = 'campaign.spend_capped';

-- Marketing messages that were armed under a frequency cap: what a user's next one is counted against. Whether a
-- message counts is asked of its delivery, so nothing has to be taken back here.
create table marketing_sends (
  user_id uuid not null,
  channel text not null,
  delivery_id uuid not null,
  armed_at timestamptz not null default now(),
  primary key (user_id, channel, delivery_id)
);
create index marketing_sends_by_age on marketing_sends (armed_at);

-- What was handed over on a day of the application's time zone, where a daily cap is set: messages, of SMS segments.
create table daily_sends (
  application_id uuid not null,
  channel text not null,
  -- YYYY-MM-DD
  day text not null collate "C",
  units bigint not null,
  primary key (application_id, channel, day)
);

-- Deliveries whose outcome became unknown, or that wait to be sent again because it is, on channels whose provider is
-- asked about it. Whether it still is so, the delivery says.
create table open_outcomes (
  delivery_id uuid primary key,
  channel text not null,
  -- Null for a test send.
  user_id uuid,
  since timestamptz not null default now()
);
create index open_outcomes_by_age on open_outcomes (since);
create index open_outcomes_by_user on open_outcomes (user_id);

-- The provider's ids of messages on the same channels: a message whose id is here is that of a delivery that knows
-- its outcome. They have a table of their own, since a column of deliveries with an index would cost an entry in
-- every index of theirs when it is set.
create table provider_ids (
  provider_id text primary key,
  known_at timestamptz not null default now()
);
-- They come in the order of their time.
create index provider_ids_by_time on provider_ids using brin (known_at);

-- Visits of the links in mails, until it is decided whether a person made them, and for a while after (see
-- link-visits.ts). One row of each kind, however often a link is visited.
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

create sequence inbox_lease_no;

-- What is offered to a user's devices and was not shown yet: one row for each delivery in `waiting`, which goes when
-- its state does. It is how a message is taken: the device that gets the row has it.
create table inbox (
  delivery_id uuid primary key,
  application_id uuid not null,
  user_id uuid not null,
  channel text not null,
  campaign_id uuid not null,
  expires_at timestamptz not null,
  -- The device that has fetched it, by which stream and as which of its messages, and until when no other gets it:
  -- for ever, when it has confirmed that it has it.
  leased_by text collate "C",
  lease_stream uuid,
  lease_no bigint,
  lease_until timestamptz,
  -- What waits for a user is given out in the order in which it was offered: a campaign that was paused, or held until
  -- the morning, comes after what was offered meanwhile.
  offered_no bigint generated always as identity,
  -- The message as it was rendered for the user. Null: that of the campaign.
  message jsonb
) with (fillfactor = 70);
create index inbox_by_user on inbox (user_id, offered_no);
create index inbox_by_expiry on inbox (expires_at);

-- Webhooks

-- Where an application hears what becomes of its campaigns.
create table webhook_endpoints (
  id uuid primary key,
  application_id uuid not null references applications (id),
  url text not null,
  description text not null default '',
  -- What is sent to it; empty: everything.
  kinds text[] not null default '{}',
  channels text[] not null default '{}',
  -- A sealed JSON array: the secret, and the one before it, which goes on signing until previous_secret_until.
  sealed_secrets text not null,
  previous_secret_until timestamptz,
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('by_hand', 'gone', 'failing')),
  disabled_at timestamptz,
  -- Since the first failure after which nothing succeeded.
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- When something was last sent to the endpoint, to some seconds: distinguishes a service that does not send from an
  -- endpoint that does not keep up.
  attempted_at timestamptz
);
create index webhook_endpoints_by_application on webhook_endpoints (application_id, id);

-- One event for one endpoint: what is to be sent, and afterwards the log of it.
create table webhook_deliveries (
  id uuid primary key default uuidv7(),
  endpoint_id uuid not null,
  application_id uuid not null,
  -- The same for every endpoint and every time it is sent.
  event_id text not null,
  type text not null,
  occurred_at timestamptz not null,
  data jsonb not null,
  replay_of uuid,
  state text not null default 'pending' check (state in ('pending', 'succeeded', 'failed')),
  reason text check (reason in ('attempts_exhausted', 'gone', 'endpoint_disabled')),
  attempts integer not null default 0,
  fence integer not null default 0,
  -- When it is to be sent; while a process is at it, the end of the lease.
  next_at timestamptz not null default now(),
  lease_until timestamptz,
  attempt_log jsonb not null default '[]',
  -- The beginning of the last answer, for the search for a fault of the receiver.
  last_answer text,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  -- When next_at and lease_until were written, by the clock of Postgres: what was written while that clock was ahead
  -- does not wait for it.
  written_at timestamptz default now()
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);
-- What was sent leaves dead entries here, over which every look for work has to step until the table is vacuumed: soon.
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, next_at) where state = 'pending';
create index webhook_deliveries_written on webhook_deliveries (written_at) where state = 'pending';
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_failed on webhook_deliveries (endpoint_id, id) where state = 'failed';
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- The kind of webhook that an entry of a campaign's event log is; null when it is none.
create function webhook_kind(event_type text) returns text language sql immutable as $$
  select k.kind
  from (select case when event_type like 'delivery.%' then 'message.' || substr(event_type, 10) else event_type end)
    as k(kind)
  where k.kind in (
    'campaign.queued', 'campaign.started', 'campaign.completed', 'campaign.failed', 'campaign.canceled',
    'message.sent', 'message.delivered', 'message.displayed', 'message.opened', 'message.clicked', 'message.dismissed',
    'message.failed', 'message.bounced', 'message.complained', 'message.expired', 'message.unknown',
    'user.unsubscribed', 'user.resubscribed', 'subscription.created', 'subscription.removed')
$$;

-- The endpoints that want events of a kind, of a channel or of none.
create function webhook_endpoints_for(application uuid, kind text, channel text) returns table (endpoint_id uuid)
language sql stable as $$
  select e.id from webhook_endpoints e
  where e.application_id = application and e.status = 'enabled'
    and (cardinality(e.kinds) = 0 or kind = any(e.kinds))
    and (cardinality(e.channels) = 0 or channel is null or channel = any(e.channels))
$$;

-- All that is written to the event log is queued for the endpoints in the same statement, and commits or goes with
-- it: no state change is without its webhooks, and none tells of what did not happen. The id of the event is made of
-- its entry. Test sends go to an address instead of a user and cause none. Joins look rows up one by one: a plan is
-- kept for as long as the connection, and the tables grow meanwhile.
create function queue_webhooks() returns trigger
language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if not exists (select from webhook_endpoints where status = 'enabled') then return null; end if;
  insert into webhook_deliveries (endpoint_id, application_id, event_id, type, occurred_at, data)
  select w.endpoint_id, c.application_id,
         'evt_' || encode(substr(sha256(convert_to(e.campaign_id || ':' || e.seq, 'UTF8')), 1, 16), 'hex'),
         k.kind, e.at,
         case when e.delivery_id is null
           then jsonb_build_object(
             'campaignId', c.id,
             'channel', k.channel,
             'status', coalesce(
               e.status,
               case k.kind when 'campaign.started' then 'sending' else split_part(k.kind, '.', 2) end))
           else jsonb_build_object(
             'campaignId', c.id,
             'deliveryId', e.delivery_id,
             'channel', k.channel,
             'customUserId', d.custom_user_id,
             'serviceUserId', i.service_user_id,
             'status', coalesce(e.status, d.state),
             'attempt', coalesce(e.attempt, d.attempts))
         end || jsonb_strip_nulls(jsonb_build_object('reason', e.reason, 'providerCode', e.provider_code))
  from added e
  join campaigns c on c.id = e.campaign_id and c.source <> 'test'
  cross join lateral (select webhook_kind(e.type), coalesce(e.channel, c.channel)) as k(kind, channel)
  cross join lateral webhook_endpoints_for(c.application_id, k.kind, k.channel) w
  left join deliveries d on d.id = e.delivery_id
  left join lateral (
    select u.service_user_id from user_identities u where u.user_id = d.user_id order by u.created_at limit 1) i on true
  where k.kind is not null
  order by e.seq;
  return null;
end $$;
create trigger queue_webhooks after insert on campaign_events referencing new table as added
  for each statement execute function queue_webhooks();

-- A log of records in partitions, for installations without Kafka

create table log_topics (
  id integer generated always as identity primary key,
  topic text not null unique,
  partitions integer not null,
  retention_ms bigint not null,
  record_bytes_max integer not null
);

-- One row. Blocks are in three tables, which take turns: one is written to, and the oldest is emptied as a whole.
-- bus: what carries the records of this installation; null until the first prepare step of a new one. accepting: false
-- while records move to the other bus.
create table log_state (
  is_only boolean primary key default true check (is_only),
  bus text check (bus in ('kafka', 'postgres')),
  accepting boolean not null default true,
  block_table smallint not null default 0,
  closed boolean not null default false,
  rotated_at timestamptz not null default now()
);
insert into log_state default values;

-- A partition. Each append updates its row, so pages have room for versions.
create table log_heads (
  topic_id integer not null references log_topics (id),
  part integer not null,
  next bigint not null default 0,
  low bigint not null default 0,
  block_table smallint not null,
  closed boolean not null,
  primary key (topic_id, part)
) with (fillfactor = 20);

-- Never vacuumed: they are emptied long before their transactions are old, and a vacuum would write each page again.
create table log_blocks_0 (
  topic_id integer not null,
  part integer not null,
  last bigint not null,
  n integer not null,
  bytes integer not null,
  at timestamptz not null,
  body bytea not null,
  primary key (topic_id, part, last)
) with (autovacuum_enabled = false, toast.autovacuum_enabled = false);
alter table log_blocks_0 alter column body set storage external;
create table log_blocks_1 (like log_blocks_0 including all)
  with (autovacuum_enabled = false, toast.autovacuum_enabled = false);
create table log_blocks_2 (like log_blocks_0 including all)
  with (autovacuum_enabled = false, toast.autovacuum_enabled = false);

create table log_groups (
  grp text primary key,
  generation bigint not null default 0,
  changed_at timestamptz not null default now()
);

-- After a crash of Postgres, or when a standby takes over, an unlogged table is empty. The last commits may be missing
-- then, so offsets that members know may name other records: all members join again and read from committed offsets.
create unlogged table log_members (
  grp text not null references log_groups (grp),
  member uuid not null,
  topic_ids integer[] not null,
  until timestamptz not null,
  primary key (grp, member)
) with (fillfactor = 50);

create table log_leases (
  grp text not null references log_groups (grp),
  topic_id integer not null,
  part integer not null,
  owner uuid,
  fence bigint not null default 0,
  committed bigint,
  primary key (grp, topic_id, part)
) with (fillfactor = 20);

-- A message from a phone names the provider's account, not the application: the settings that have these values are
-- found by it, whichever fields they are.
-- No transaction
create index if not exists channel_settings_of_sms on channel_settings using gin (settings jsonb_path_ops)
where channel = 'SMS';

create table migrations (
  id integer primary key,
  name varchar(100) unique not null,
  hash varchar(40) not null,
  executed_at timestamp default current_timestamp
);
insert into migrations (id, name, hash) values
  (77, 'baseline', '27cd5b3d36fd29f1c1197f32d7ac85f616cc27bc'),
  (78, 'sms_settings', 'dbce2c8df6aab3e36aef2bcfe00cf8d810744072');
commit;
