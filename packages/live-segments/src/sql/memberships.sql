-- part: milliseconds(at)
floor(extract(epoch from at) * 1000)::float8

-- name: read-known-members
-- What is known of people. $1 application, $2 segment, $3 people, $4 build, $5 up to whom it has
-- looked, $6 whether it is done
select u.id as user_id, coalesce($6::boolean or u.custom_user_id <= $5::text, false) as is_scanned,
  m.is_member, coalesce(m.build_id = $4::uuid, false) as is_current,
  -- include: milliseconds(m.since) as since,
  -- include: milliseconds(m.recheck_at) as recheck_at
from users u
  left join segment_members m on m.application_id = $1 and m.slug = $2 and m.user_id = u.id
where u.id = any($3::uuid[]) and u.application_id = $1

-- name: put-members
-- $1 application, $2 segment, $3 shard, $4 build, $5 people, $6 whether they are members, $7 since
-- when, $8 when to ask again. Milliseconds.
insert into segment_members (
  application_id, slug, shard, build_id, user_id, is_member, since, recheck_at
)
select $1, $2, $3, $4, x.user_id, x.is_member, to_timestamp(x.since / 1000.0),
  to_timestamp(x.recheck / 1000.0)
from unnest($5::uuid[], $6::boolean[], $7::float8[], $8::float8[]) as x(
    user_id, is_member, since, recheck
  )
on conflict (application_id, slug, user_id) do update
set build_id = excluded.build_id, is_member = excluded.is_member, since = excluded.since,
  recheck_at = excluded.recheck_at

-- name: read-memberships
-- $1 application, $2 segment, $3 people
select m.user_id, m.is_member, -- include: milliseconds(m.since) as since
from segment_members m
where m.application_id = $1 and m.slug = $2 and m.user_id = any($3::uuid[])

-- name: list-old-members
-- $1 application, $2 segment, $3 shard, $4 milliseconds, $5 after whom (null: from the first),
-- $6 number
select m.user_id
from segment_members m
where m.application_id = $1
  and m.slug = $2
  and m.shard = $3
  and m.is_member
  and m.since <= to_timestamp($4 / 1000.0)
  and ($5::uuid is null or m.user_id > $5)
order by m.user_id
limit $6

-- name: postpone-people
-- Who is not known is no member so far. $1 application, $2 segment, $3 shard, $4 build (null: one
-- that is over, of which no one moves), $5 people, $6 until when, $7 up to whom the build has
-- looked, $8 whether it is done
insert into segment_members (
  application_id, slug, shard, build_id, user_id, is_member, since, recheck_at
)
select $1, $2, $3, coalesce($4::uuid, uuidv7()), u.id, false, '-infinity',
  to_timestamp($6 / 1000.0)
from users u
where u.id = any($5::uuid[]) and ($8::boolean or u.custom_user_id <= $7::text)
on conflict (application_id, slug, user_id) do update set recheck_at = excluded.recheck_at
