-- A page of users is read from an index of those whom it can show, in the order that it shows them.
create index users_registered on users (application_id, custom_user_id) where registered_at is not null;
drop index users_by_email;
drop index users_by_phone;
drop index users_by_hashed_email;
drop index users_by_hashed_phone;
create index users_by_email on users (application_id, email_key, custom_user_id) where email_key is not null;
create index users_by_phone on users (application_id, phone_e164, custom_user_id) where phone_e164 is not null;
create index users_by_hashed_email on users (application_id, hashed_email_key, custom_user_id) where hashed_email_key is not null;
create index users_by_hashed_phone on users (application_id, hashed_phone_key, custom_user_id) where hashed_phone_key is not null;

-- A phone number as it was written, but for what people put between its signs: what a search compares where there is no E.164 form.
create function phone_signs(phone text) returns text language sql immutable parallel safe
  return lower(regexp_replace(left(phone, 100), '[[:space:]().\-/]', '', 'g'));
create index users_by_phone_signs on users (application_id, phone_signs(fields ->> 'phoneNumber'), custom_user_id)
  where fields ->> 'phoneNumber' is not null;

-- Applications whose default country has changed: the phone numbers of their users up to this one are renewed.
create table phone_renewals (
  application_id uuid primary key,
  after_user_id uuid not null
);
-- The country of a number that begins with a plus is its own.
create index users_with_national_phone on users (application_id, id)
  where fields ->> 'phoneNumber' is not null and not starts_with(fields ->> 'phoneNumber', '+');

-- Users who have never registered go when nothing was heard of them for as long as held events are kept.
create index users_unregistered_by_age on users (updated_at) where registered_at is null and merged_into is null;

-- It reads instants out of text, which is written in the style of whoever asks.
alter function partitions_of(text) set datestyle = 'ISO';

-- As before, but at most five at a time, the oldest first: whoever uses the table waits while they go.
create or replace function drop_partitions(parent text, due timestamptz) returns integer language plpgsql as $$
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
  execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', parent, before, finish);
  return cardinality(names);
end $$;
