select
  id,
  fields ->> 'phoneNumber' as phone,
  phone_e164
from users
where
  application_id = $1
  and id > $2
  and fields ->> 'phoneNumber' is not null
  and not starts_with(fields ->> 'phoneNumber', '+')
order by id
limit $3
for no key update
