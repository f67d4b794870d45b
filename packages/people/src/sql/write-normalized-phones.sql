update users u
set phone_e164 = x.renewed
from unnest($1::uuid[], $2::text[]) as x(id, renewed)
where u.id = x.id
