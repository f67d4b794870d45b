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

create function keep_audit_entries() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.status is null and to_jsonb(new) - 'status' - 'target' = to_jsonb(old) - 'status' - 'target' then
    return new;
  end if;
  raise exception 'an entry of the audit log is never changed, and never deleted';
end
$$;
create trigger keep_audit_entries before update or delete on audit_entries for each row execute function keep_audit_entries();

alter table admin_tokens
  -- The first characters, enough to recognise it.
  add column prefix text not null default '',
  add column created_by text not null default '',
  add column last_used_at timestamptz;
