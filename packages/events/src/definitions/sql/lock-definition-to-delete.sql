select
  d.merged_into is not null
    or exists (
      select
      from definitions o
      where
        o.application_id = $1
        and o.merged_into = $2
    ) as is_merged
from definitions d
where
  d.application_id = $1
  and d.slug = $2
  and d.deleted_at is null
