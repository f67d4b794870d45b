-- name: note-segment-heard
-- Who sees a build after its commit has a number that is later than those of all transactions that
-- may have read before it what is listened to. $1 shard
update live_segments l
set listens_since = pg_current_xact_id()::text::bigint
where (l.application_id, l.slug) in (
  select o.application_id, o.slug
  from live_segment_builds b
    join live_segments o on o.application_id = b.application_id
      and o.slug = b.slug
      and o.build_id = b.build_id
  where b.shard = $1 and not b.is_built and o.listens_since is null
  for update of o skip locked
)

-- name: read-open-build
-- A build goes on when all transactions have ended that may announce nothing. After a restore the
-- numbers of transactions may begin anew: an hour is enough then. Applications have turns. $1 shard
select b.application_id, b.slug, b.build_id, b.built_up_to
from live_segment_builds b
  join live_segments l on l.application_id = b.application_id
    and l.slug = b.slug
    and l.build_id = b.build_id
where b.shard = $1
  and not b.is_built
  and (
    pg_snapshot_xmin(pg_current_snapshot())::text::bigint > l.listens_since
    or l.created_at < now() - interval '1 hour'
  )
order by max(b.looked_at) over (partition by b.application_id) nulls first,
  b.looked_at nulls first, l.created_at, b.application_id, b.slug
limit 1

-- name: read-next-people
-- $1 application, $2 after whom, $3 number
select u.id, u.custom_user_id
from users u
where u.application_id = $1 and u.custom_user_id > $2
order by u.custom_user_id
limit $3

-- name: note-built
-- $1 application, $2 segment, $3 shard, $4 build, $5 up to whom (null: it is through)
update live_segment_builds
set built_up_to = $5, is_built = $5::text is null, looked_at = now()
where application_id = $1 and slug = $2 and shard = $3 and build_id = $4
