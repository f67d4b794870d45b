select
  id,
  settings
from applications
where id = any($1)
