select
  id,
  message::text as message
from campaigns
where id = any($1)
