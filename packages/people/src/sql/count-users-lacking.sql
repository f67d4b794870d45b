select
  p.no::int,
  count(*)::int as count
from
  users u
  cross join lateral (
    select
      u.fields || jsonb_build_object(
        'customUserId',
        u.custom_user_id,
        'registeredAt',
        u.registered_at,
        'customAttributes',
        u.custom_attributes
      ) as profile
  ) known
  cross join jsonb_array_elements($3::jsonb) with ordinality as p(path, no)
where
  u.application_id = $1
  and u.custom_user_id = any($2::text[])
  and u.registered_at is not null
  and coalesce(
    known.profile #>> array(
      select jsonb_array_elements_text(p.path)
    ),
    ''
  ) = ''
group by p.no
