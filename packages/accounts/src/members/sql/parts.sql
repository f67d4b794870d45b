-- part: member-columns(m)
-- What `toMember` reads.
m.id, m.email, m.name, m.role, m.created_at, m.signed_in_at,
(m.password_hash is null and m.identity is null) as is_invited
