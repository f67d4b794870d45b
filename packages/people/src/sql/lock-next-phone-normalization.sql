select
  application_id,
  after_user_id
from phone_renewals
order by application_id
limit 1
for update skip locked
