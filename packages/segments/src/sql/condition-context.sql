-- name: read-condition-definitions
select slug, kind, name, discarded, merged_into
from definitions
where application_id = $1 and deleted_at is null
