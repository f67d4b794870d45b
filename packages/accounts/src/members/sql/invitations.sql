-- part: has-owner
exists (select 1 from members where role = 'owner')

-- name: issue-setup-link
insert into welcome_links (token_hash, expires_at)
select $1, $2
where not -- include: has-owner

-- name: delete-links-of-member
delete from welcome_links where member_id = $1

-- name: issue-invitation
insert into welcome_links (token_hash, member_id, expires_at) values ($1, $2, $3)

-- name: find-valid-link
select 1
from welcome_links
where token_hash = $1
  and expires_at > $2
  and (member_id is null) = $3
  and not (
    $3
    and -- include: has-owner
  )

-- name: use-setup-link
delete from welcome_links
where token_hash = $1
  and member_id is null
  and expires_at > $2
  and not -- include: has-owner

-- name: delete-setup-links
delete from welcome_links where member_id is null

-- name: add-first-owner
-- The address may belong to a member who signed in through the identity provider; the setup link
-- makes that member owner.
insert into members as m (id, email, name, role, password_hash)
values ($1, $2, $3, 'owner', $4)
on conflict (email) do update
set name = excluded.name, role = 'owner', password_hash = excluded.password_hash
returning -- include: member-columns(m)

-- name: accept-invitation
with used as (
  delete from welcome_links
  where token_hash = $1 and expires_at > $2 and member_id is not null
  returning member_id
)
update members m
set name = $3, password_hash = $4
from used
where m.id = used.member_id
returning -- include: member-columns(m)
