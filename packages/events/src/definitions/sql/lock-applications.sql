select 1
from applications
where id = any($1)
order by id
for no key update
