-- name: read-device-kinds
select (
  -- include: people/reachable-kinds(u)
) as kinds
from users u
where u.id = $1
