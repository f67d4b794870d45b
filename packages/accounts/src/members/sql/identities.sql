-- name: add-identity
insert into members as m (id, email, name, role, identity)
values ($1, $2, $3, $4, $5)
returning -- include: member-columns(m)

-- name: change-identity
update members m
set identity = $2, name = $3, role = $4
where id = $1
returning -- include: member-columns(m)

-- name: find-member-by-identity
select -- include: member-columns(m)
from members m
where m.identity = $1

-- name: revoke-role
update members m
set role = case when $2 then role else 'viewer' end,
  password_hash = case when $2 then password_hash end
where id = $1
returning -- include: member-columns(m)

-- name: lock-known-members-and-owners
select id, email, role, identity
from members
where identity = $1 or email = $2 or role = 'owner'
order by id
for update
