select max(ends) as ends
from partitions_of($1)
where ends <= $2
