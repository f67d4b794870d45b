select
  u.custom_user_id,
  u.registered_at,
  u.fields::text as fields,
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
where
  u.application_id = $1
  and u.custom_user_id = any($2::text[])
  and u.registered_at is not null
