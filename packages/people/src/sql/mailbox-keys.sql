-- name: lock-suppressions-without-mailbox-key
select id, address
from suppressions
where channel = 'EMAIL' and mailbox_key is null and address ~ '[^!-~]'
order by id
limit $1
for no key update skip locked

-- name: write-suppression-mailbox-keys
with spelled as (
  update suppressions x
  set mailbox_key = w.mailbox_key
  from unnest($1::uuid[], $2::text[]) as w(id, mailbox_key)
  where x.id = w.id
  returning x.application_id, x.channel, x.address, x.reason, x.mailbox_key, x.created_at
)
insert into suppressions (application_id, channel, address, reason, mailbox_key, created_at)
select s.application_id, s.channel, s.mailbox_key, s.reason,
  case when s.mailbox_key ~ '[^!-~]' then s.mailbox_key end, s.created_at
from spelled s
where s.mailbox_key <> s.address
on conflict (application_id, channel, address, reason) do nothing

-- name: lock-users-without-mailbox-key
select id, fields ->> 'email' as address
from users
where email_key ~ '[^!-~]' and mailbox_spelling is distinct from email_key
order by id
limit $1
for no key update skip locked

-- name: write-user-mailbox-keys
update users u
set mailbox_key = w.mailbox_key, mailbox_spelling = u.email_key
from unnest($1::uuid[], $2::text[]) as w(id, mailbox_key)
where u.id = w.id
