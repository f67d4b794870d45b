insert into deleted_identities as d (application_id, id_hash, deleted_at)
select
  $1,
  decode(hash, 'hex'),
  to_timestamp($3::float8 / 1000)
from unnest($2::text[]) as hash
on conflict (application_id, id_hash) do update
set deleted_at = greatest(d.deleted_at, excluded.deleted_at)
