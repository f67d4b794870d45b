select
  id,
  counted_on
from deliveries
where id = any($1)
order by id
for update
