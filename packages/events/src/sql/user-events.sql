-- name: list-user-events
select e.message_id, e.type, d.slug, d.name, e.time::text, e.received_at, e.attributes::text,
  e.revenue, e.currency, e.request_id, e.message_index
from (
  select newest.*
  from users u
    cross join lateral (
      select *
      from events
      where user_id = u.id
        and (
          $2::bigint is null or (time, request_id, message_index) < ($2::bigint, $3::uuid, $4::int)
        )
      order by time desc, request_id desc, message_index desc
      limit $5
    ) newest
  where u.id = $1 or u.merged_into = $1
  order by newest.time desc, newest.request_id desc, newest.message_index desc
  limit $5
) e
  join definitions o on o.application_id = e.application_id and o.slug = e.slug
  join definitions d on d.application_id = e.application_id
    and d.slug = coalesce(o.merged_into, o.slug)
order by e.time desc, e.request_id desc, e.message_index desc
