select
  id,
  recipients_unique as recipients
from campaigns
where
  has_recipient_rows
  and recipients_forgotten_at is not null
order by id
limit $1
for no key update skip locked
