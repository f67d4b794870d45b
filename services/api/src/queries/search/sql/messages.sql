-- name: read-found-messages
-- Events that wait for the registration of their user do not name it.
select e.request_id, e.message_index, d.name, person.custom_user_id
from unnest($2::uuid[], $3::int[]) as m(request_id, message_index)
  cross join lateral (
    select *
    from events
    where request_id = m.request_id
      and message_index = m.message_index
      and application_id = $1
    limit 1
  ) as e
  -- include: events/current-definition(e, d)
  left join lateral (
    select coalesce(root.custom_user_id, u.custom_user_id) as custom_user_id
    from users u left join users root on root.id = u.merged_into
    where u.id = e.user_id and coalesce(root.registered_at, u.registered_at) is not null
  ) as person on true
