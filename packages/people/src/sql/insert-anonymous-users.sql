insert into users (id, application_id)
select *
from unnest($1::uuid[], $2::uuid[])
