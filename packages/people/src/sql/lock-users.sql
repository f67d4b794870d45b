select
  id,
  application_id,
  merged_into,
  fields::text,
  custom_attributes::text,
  clocks::text
from users
where
  id in (
    select unnest($1::uuid[])
    union
    select merged_into
    from users
    where
      id = any($1)
      and merged_into is not null
  )
order by id
for update
