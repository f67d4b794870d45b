select
  t.slug,
  t.name,
  v.variant -> 'condition' as condition
from
  templates t
  cross join jsonb_array_elements(t.content -> 'variants') as v(variant)
where
  t.application_id = $1
  and t.archived_at is null
order by t.slug
