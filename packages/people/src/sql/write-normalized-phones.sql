update users u
set phone_e164 = x.normalized
from unnest($1::uuid[], $2::text[]) as x(id, normalized)
where u.id = x.id
