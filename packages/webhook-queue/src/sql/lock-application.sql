select 1
from applications
where id = $1
for update
