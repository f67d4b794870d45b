-- Bridges message_keys: packages/events/src/bridged-keys.integration.test.ts
set local lock_timeout = '5s';

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
