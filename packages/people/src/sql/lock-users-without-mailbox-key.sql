select
  id,
  fields ->> 'email' as address
from users
where
  email_key ~ '[^!-~]'
  and mailbox_spelling is distinct from email_key
order by id
limit $1
for no key update skip locked
