-- name: suggest-of-profiles
-- What drawn users have: values of some fields, and custom attributes.
with drawn as materialized (
  select u.fields, u.custom_attributes
  from users u
  where u.application_id = $1 and u.registered_at is not null and u.custom_user_id = any($2::text[])
), found as (
  select true as is_field, array[f.key] as path, f.value
  from drawn d cross join jsonb_each(d.fields) f
  where f.key = any($3::text[])
  union all
  select false, a.path, a.value
  from drawn d
    cross join lateral -- include: values-below(d.custom_attributes) as a
),
-- include: most-frequent(drawn)

-- name: suggest-of-events
-- What the newest events of definitions have.
with newest as materialized (
  select e.attributes
  from unnest($2::text[]) s(slug)
    cross join lateral (
      select e.attributes, e.time
      from events e
      where e.application_id = $1 and e.slug = s.slug and e.user_id is not null
      order by e.time desc
      limit $3
    ) e
  order by e.time desc
  limit $3
), found as (
  select false as is_field, a.path, a.value
  from newest n
    cross join lateral -- include: values-below(n.attributes) as a
),
-- include: most-frequent(newest)

-- part: values-below(object)
(
  select array[o.key] as path, o.value
  from jsonb_each(object) o
  where jsonb_typeof(o.value) <> 'object'
  union all
  select array[o.key, i.key], i.value
  from jsonb_each(object) o
    cross join jsonb_each(case when jsonb_typeof(o.value) = 'object' then o.value end) i
  where jsonb_typeof(i.value) not in ('object', 'array')
)

-- part: most-frequent(source)
valued as (
  select f.is_field, f.path, jsonb_typeof(f.value) as type, f.value, count(*)::int as count
  from found f
  where jsonb_typeof(f.value) <> 'null'
  group by f.is_field, f.path, f.value
), ranked as (
  select v.*,
    row_number() over (
      partition by v.is_field, v.path, v.type order by v.count desc, v.value
    ) as place
  from valued v
)
select (select count(*)::int from source) as asked, r.is_field, r.path, r.type,
  sum(r.count)::int as count,
  coalesce(
    jsonb_agg(jsonb_build_object('value', r.value, 'count', r.count) order by r.place)
      filter (
        where r.place <= $4 and r.type in ('string', 'number', 'boolean')
          and length(r.value::text) <= $5
      ),
    '[]'
  ) as values
from ranked r
group by r.is_field, r.path, r.type
order by r.is_field desc, sum(r.count) desc, r.path
limit $6
