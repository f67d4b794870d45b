select
  id,
  address
from suppressions
where
  channel = 'EMAIL'
  and mailbox_key is null
  and address ~ '[^!-~]'
order by id
limit $1
for no key update skip locked
