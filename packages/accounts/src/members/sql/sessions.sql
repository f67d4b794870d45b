-- name: begin-session
insert into sessions (token_hash, member_id, created_at, seen_at) values ($1, $2, $3, $3)

-- name: record-sign-in
update members
set signed_in_at = $2
where id = $1

-- name: find-session
select -- include: member-columns(m),
  s.seen_at
from sessions s
  join members m on m.id = s.member_id
where s.token_hash = $1 and s.seen_at > $2 and s.created_at > $3

-- name: record-session-use
update sessions
set seen_at = greatest(seen_at, $2)
where token_hash = $1

-- name: end-session
delete from sessions where token_hash = $1

-- name: end-sessions-of-member
delete from sessions where member_id = $1
