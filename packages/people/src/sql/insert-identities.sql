insert into user_identities (application_id, service_user_id, user_id, by_client_key)
select *
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::boolean[])
on conflict do nothing
returning user_id
