-- name: read-template-users
select u.custom_user_id, u.registered_at, u.fields::text as fields,
  case
    when $3::text[] is null then u.custom_attributes::text
    else coalesce(
      (
        select jsonb_object_agg(k, u.custom_attributes -> k)
        from unnest($3::text[]) k
        where u.custom_attributes ? k
      ),
      '{}'
    )::text
  end as custom_attributes
from users u
where u.application_id = $1 and u.custom_user_id = any($2::text[]) and u.registered_at is not null

-- name: count-users-lacking
select p.no::int, count(*)::int as count
from users u
  cross join lateral (
    select u.fields || jsonb_build_object(
      'customUserId', u.custom_user_id, 'registeredAt', u.registered_at,
      'customAttributes', u.custom_attributes
    ) as profile
  ) known
  cross join jsonb_array_elements($3::jsonb) with ordinality as p(path, no)
  cross join lateral (
    select array(select jsonb_array_elements_text(p.path)) as keys,
      -- Of a list, whose elements have no names.
      array(
        select case key when 'first' then '0' when 'last' then '-1' else key end
        from jsonb_array_elements_text(p.path) as key
      ) as elements
  ) places
  cross join lateral (
    select coalesce(
        known.profile #> (keys)[: cardinality(keys) - 1],
        known.profile #> (elements)[: cardinality(elements) - 1]
      ) as parent,
      keys[cardinality(keys)] = 'size' as asks_size
  ) parents
where u.application_id = $1
  and u.custom_user_id = any($2::text[])
  and u.registered_at is not null
  and coalesce(known.profile #>> keys, '') = ''
  and coalesce(known.profile #>> elements, '') = ''
  and not (
    asks_size
    and (jsonb_typeof(parent) = 'array' or jsonb_typeof(parent) = 'string' and parent <> '""')
  )
group by p.no
