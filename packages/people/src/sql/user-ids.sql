-- name: read-user-ids
with person as (select id from users where application_id = $1 and custom_user_id = $2)
select id
from person
union all
select u.id
from person p join users u on u.merged_into = p.id
limit 1000
