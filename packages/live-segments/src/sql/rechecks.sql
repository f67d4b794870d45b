-- name: read-due-members
-- $1 shard, $2 number, $3 milliseconds
select m.application_id, m.slug, m.user_id
from segment_members m
where m.shard = $1 and m.recheck_at <= to_timestamp($3 / 1000.0)
order by m.recheck_at
limit $2

-- name: forget-rechecks
-- $1 applications, $2 segments, $3 people, $4 milliseconds
update segment_members m
set recheck_at = null
from unnest($1::uuid[], $2::text[], $3::uuid[]) as x(application_id, slug, user_id)
where m.application_id = x.application_id and m.slug = x.slug and m.user_id = x.user_id
  and m.recheck_at <= to_timestamp($4 / 1000.0)
