-- name: list-members
select -- include: member-columns(m)
from members m
order by m.id

-- name: read-member
select -- include: member-columns(m)
from members m
where m.id = $1

-- name: find-member-by-email
select -- include: member-columns(m),
  m.password_hash
from members m
where m.email = $1

-- name: find-owner
select 1 from members where role = 'owner' limit 1

-- name: add-member
insert into members as m (id, email, name, role)
values ($1, $2, $3, $4)
on conflict (email) do nothing
returning -- include: member-columns(m)

-- name: change-member
update members m
set name = coalesce($2, name), role = coalesce($3, role)
where id = $1
returning -- include: member-columns(m)

-- name: delete-member
delete from members where id = $1

-- name: revoke-sessions-and-links
with links as (
  delete from welcome_links where member_id = $1
)
delete from sessions where member_id = $1

-- name: set-password
update members
set password_hash = $2
where id = $1

-- name: lock-member-and-owners
select id, role from members where id = $1 or role = 'owner' order by id for update
