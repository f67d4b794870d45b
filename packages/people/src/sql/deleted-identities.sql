-- name: lock-identities-shared
select pg_advisory_xact_lock_shared(hashtextextended(id, $2)) from unnest($1::text[]) as id

-- name: read-deleted-identities
select d.application_id, encode(d.id_hash, 'hex') as hash,
  round(extract(epoch from d.deleted_at) * 1000)::float8 as deleted_at_ms
from (select distinct * from unnest($1::uuid[], $2::text[]) as w(application_id, hash)) w
  cross join lateral (
    select *
    from deleted_identities
    where application_id = w.application_id and id_hash = decode(w.hash, 'hex')
    limit 1
  ) d

-- name: lock-identities
select pg_advisory_xact_lock(hashtextextended($1, $2))

-- name: insert-deleted-identities
insert into deleted_identities as d (application_id, id_hash, deleted_at)
select $1, decode(hash, 'hex'), to_timestamp($3::float8 / 1000)
from unnest($2::text[]) as hash
on conflict (application_id, id_hash) do update
set deleted_at = greatest(d.deleted_at, excluded.deleted_at)
