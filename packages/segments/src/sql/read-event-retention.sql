select (a.settings ->> 'eventRetentionDays')::float8 as days
from applications a
where a.id = $1
