-- Guesses are counted for an account from an address, for the address, and for the account; the key is a hash of what is counted.
alter table sign_in_failures
  -- When the account was last signed in to from the address.
  add column let_in_at timestamptz;

-- The log is append-only but for its retention, which takes nothing that is younger than the shortest there may be.
create or replace function keep_audit_entries() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.status is null and to_jsonb(new) - 'status' - 'target' = to_jsonb(old) - 'status' - 'target' then
    return new;
  end if;
  if tg_op = 'DELETE' and old.at < now() - interval '30 days' then
    return old;
  end if;
  raise exception 'an entry of the audit log is never changed, nor deleted before it is 30 days old';
end
$$;
create index audit_entries_by_age on audit_entries (at);

-- Hours that are past their retention become one row (hour -infinity) of each definition and currency.
create index definition_hours_by_age on definition_hours (hour) where backend = 0;
