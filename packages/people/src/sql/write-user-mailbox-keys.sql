update users u
set
  mailbox_key = w.mailbox_key,
  mailbox_spelling = u.email_key
from unnest($1::uuid[], $2::text[]) as w(id, mailbox_key)
where u.id = w.id
