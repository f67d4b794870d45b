insert into user_identities (application_id, service_user_id, user_id)
select *
from unnest($1::uuid[], $2::uuid[], $3::uuid[])
