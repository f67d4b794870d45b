select
  d.merged_into,
  d.discarded,
  d.by_client_key,
  o.slug is not null as is_name_taken,
  o.deleted_at is not null as is_of_deleted
from
  definitions d
  left join definitions o on o.application_id = $1
    and o.kind = d.kind
    and o.name = $3
    and o.slug <> $2
where
  d.application_id = $1
  and d.slug = $2
  and d.deleted_at is null
