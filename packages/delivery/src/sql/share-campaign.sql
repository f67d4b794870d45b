select 1
from campaigns
where id = $1
for share
