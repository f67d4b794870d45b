-- name: list-user-events
select -- include: event-columns(e, d)
from (
  select newest.*
  from users u
    cross join lateral (
      -- include: page-of-user-events(u)
    ) newest
  where u.id = $1 or u.merged_into = $1
  order by newest.time desc, newest.request_id desc, newest.message_index desc
  limit $5
) e
  -- include: current-definition(e, d)
order by e.time desc, e.request_id desc, e.message_index desc
