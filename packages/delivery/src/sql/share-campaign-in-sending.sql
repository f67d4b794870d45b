select 1
from campaigns
where
  id = $1
  and status = 'sending'
for share
