-- name: read-device-proofs
select user_id, proved_user_id
from devices
where user_id = any($1) and user_id_at_proof = user_id and proved_user_id is not null

-- name: count-joined-by-clients
select w.id,
  (
    select count(*)::int
    from (
      select
      from user_identities
      where user_id = w.id and by_client_key
      union all
      select
      from users o join user_identities i on i.user_id = o.id
      where o.merged_into = w.id and i.by_client_key
      limit 50
    ) j
  ) as joined
from (select distinct unnest($1::uuid[]) as id) w

-- name: mark-joined-by-clients
update user_identities set by_client_key = true where user_id = any($1)
