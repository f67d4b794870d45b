-- name: set-live-segments
-- $1 application, $2 slugs, $3 fingerprints, $4 shards
with wanted as materialized (
  select w.slug, w.fingerprint from unnest($2::text[], $3::text[]) as w(slug, fingerprint)
),
gone as (
  delete from live_segments l where l.application_id = $1 and l.slug <> all ($2::text[])
),
gone_builds as (
  delete from live_segment_builds b where b.application_id = $1 and b.slug <> all ($2::text[])
),
changed as (
  insert into live_segments as l (application_id, slug, build_id, fingerprint)
  select $1, w.slug, uuidv7(), w.fingerprint
  from wanted w
  on conflict (application_id, slug) do update
  set build_id = excluded.build_id, fingerprint = excluded.fingerprint,
    listens_since = null, created_at = now()
  where l.fingerprint <> excluded.fingerprint
  returning l.slug, l.build_id
)
insert into live_segment_builds (application_id, slug, shard, build_id)
select $1, c.slug, s.shard, c.build_id
from changed c cross join generate_series(0, $4::int - 1) as s(shard)
on conflict (application_id, slug, shard) do update
set build_id = excluded.build_id, built_up_to = null, is_built = false

-- name: read-live-segments
-- $1 applications, $2 shard
select l.application_id, l.slug, l.build_id, l.fingerprint, b.built_up_to, b.is_built
from live_segments l
  join live_segment_builds b on b.application_id = l.application_id
    and b.slug = l.slug
    and b.shard = $2
    and b.build_id = l.build_id
where l.application_id = any($1::uuid[])
order by l.application_id, l.slug

-- name: read-shards-to-ask
-- One look into an index for each shard. $1 shards
select s.shard
from generate_series(0, $1::int - 1) as s(shard)
where exists (
    select from segment_members m where m.shard = s.shard and m.recheck_at <= clock_timestamp()
  )
  or exists (
    select from live_segment_builds b where b.shard = s.shard and not b.is_built
  )
order by s.shard
