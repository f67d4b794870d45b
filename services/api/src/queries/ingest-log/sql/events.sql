-- name: list-slugs-of-definition
with roots as (
  select coalesce(merged_into, slug) as slug
  from definitions
  where application_id = $1 and (slug = $2 or name = $2)
)
select d.slug
from definitions d
  join roots r on r.slug in (d.slug, d.merged_into)
where d.application_id = $1

-- name: list-events
-- If the scan hit its limit, its last row is returned too, marked as not visible: the position to
-- continue from.
with scanned as (
  select *
  from events
  where application_id = $1
    and -- include: events/is-on-page
    and ($7::timestamptz is null or received_at >= $7::timestamptz)
    and ($8::timestamptz is null or received_at < $8::timestamptz)
    and ($9::uuid is null or request_id = $9::uuid)
  order by received_at desc, request_id desc, message_index desc
  limit $5
),
visible as (
  select e.*, coalesce(root.custom_user_id, u.custom_user_id) as custom_user_id
  from scanned e
    left join users u on u.id = e.user_id
    left join users root on root.id = u.merged_into
  where ($6::text is null or e.type = $6)
    and ($10::text[] is null or e.slug = any($10::text[]))
    and (e.user_id is null or coalesce(root.registered_at, u.registered_at) is not null)
  order by e.received_at desc, e.request_id desc, e.message_index desc
  limit $11
)
select -- include: events/event-columns(e, d),
  -- include: events/micros(e.received_at) as micros,
  e.custom_user_id, e.is_visible
from (
  select *, true as is_visible
  from visible
  union all
  (
    select s.*, null, false
    from scanned s
    where (select count(*) from scanned) = $5
    order by s.received_at, s.request_id, s.message_index
    limit 1
  )
) as e
  -- include: events/current-definition(e, d)
order by e.received_at desc, e.request_id desc, e.message_index desc, e.is_visible desc
