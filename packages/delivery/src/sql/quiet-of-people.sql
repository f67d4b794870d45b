-- name: read-zones-of-people
-- The device seen last counts, as for a delivery.
select u.id,
  left(
    coalesce(
      -- include: people/own-time-zone(u),
      -- include: people/time-zone-of-device(u)
    ),
    64
  ) as time_zone,
  a.settings
from users u join applications a on a.id = u.application_id
where u.id = any($1::uuid[])
