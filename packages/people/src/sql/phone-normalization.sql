-- name: request-phone-normalization
insert into phone_renewals (application_id, after_user_id)
values ($1, $2)
on conflict (application_id) do update
set after_user_id = excluded.after_user_id

-- name: lock-next-phone-normalization
select application_id, after_user_id
from phone_renewals
order by application_id
limit 1
for update skip locked

-- name: finish-phone-normalization
delete from phone_renewals where application_id = $1

-- name: continue-phone-normalization
update phone_renewals set after_user_id = $2 where application_id = $1

-- name: lock-users-to-normalize
select id, fields ->> 'phoneNumber' as phone, phone_e164
from users
where application_id = $1
  and id > $2
  and fields ->> 'phoneNumber' is not null
  and not starts_with(fields ->> 'phoneNumber', '+')
order by id
limit $3
for no key update

-- name: write-normalized-phones
update users u
set phone_e164 = x.normalized
from unnest($1::uuid[], $2::text[]) as x(id, normalized)
where u.id = x.id
