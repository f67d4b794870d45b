select
  d.application_id,
  encode(d.id_hash, 'hex') as hash,
  round(
    extract(
      epoch
      from d.deleted_at
    ) * 1000
  )::float8 as deleted_at_ms
from
  (
    select distinct *
    from unnest($1::uuid[], $2::text[]) as w(application_id, hash)
  ) w
  cross join lateral (
    select *
    from deleted_identities
    where
      application_id = w.application_id
      and id_hash = decode(w.hash, 'hex')
    limit 1
  ) d
