-- name: read-earlier-events
-- The newest events of the ids of people, not older than an instant by their own time. In their
-- order: of several that could enter a person the first does.
-- $1 people, $2 the id whose events are looked at (null: all ids of the person), $3 slugs,
-- $4 milliseconds, $5 of each person
select x.person_id, e.request_id, e.message_index, e.slug,
  round(extract(epoch from e.received_at) * 1000)::float8 as received_ms
from unnest($1::uuid[], $2::uuid[]) as x(person_id, user_id)
  cross join lateral (
    select e.request_id, e.message_index, e.slug, e.received_at, e.time, e.message_id
    from users p
      cross join unnest($3::text[]) as s(slug)
      join events e on e.user_id = p.id and e.slug = s.slug
    where (p.id = x.person_id or p.merged_into = x.person_id)
      and (x.user_id is null or p.id = x.user_id)
      and e.time >= $4::bigint
    order by e.time desc
    limit $5
  ) e
order by e.time, e.received_at, e.message_id collate "C"
