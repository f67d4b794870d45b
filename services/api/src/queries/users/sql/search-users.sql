-- part: listed-columns(u)
u.custom_user_id, u.registered_at, u.fields ->> 'firstName' as first_name,
u.fields ->> 'lastName' as last_name, u.fields ->> 'email' as email,
u.fields ->> 'phoneNumber' as phone_number,
-- include: people/service-user-ids(u) as service_user_ids

-- part: page-of-found(u)
cross join lateral (select * from users where id = found.user_id offset 0) as u
where u.registered_at is not null and ($2::text is null or u.custom_user_id > $2)
order by u.custom_user_id
limit $3

-- part: by-id
-- Prefix range up to the largest code point: ids are compared bytewise.
(
  select id
  from users
  where application_id = $1
    and registered_at is not null
    and ($2::text is null or custom_user_id > $2)
    and custom_user_id >= $4
    and custom_user_id <= $4 || repeat(chr(1114111), 4)
  order by custom_user_id
  limit $3
)

-- part: has-contact(key, value, is_indexed)
-- In page order. Written as a range of one value in index order. With equality, the planner might
-- scan another index by customUserId past all other users when it estimates many matches.
select id
from users
where application_id = $1
  and is_indexed
  and registered_at is not null
  and (key, custom_user_id) > (value, coalesce($2::text, ''))
  and key <= value
order by key, custom_user_id
limit $3

-- part: had-contact(key, value, is_indexed)
-- Users who had it before they were merged into another one.
select merged_into as id
from users
where application_id = $1
  and is_indexed
  and custom_user_id is null
  and key >= value
  and key <= value
order by key
limit $10

-- part: by-contact(key, value, is_indexed)
(
  -- include: has-contact(key, value, is_indexed)
)
union
(
  -- include: had-contact(key, value, is_indexed)
)

-- part: by-written-phone(number)
-- include: by-contact(phone_signs(number), nullif(phone_signs($6), ''), number is not null)

-- part: by-hash(key)
(
  select id
  from unnest($8::text[]) as hash
    cross join lateral (
      -- include: has-contact(key, left(hash, 320), true)
    ) as hit
)
union
(
  select id
  from unnest($8::text[]) as hash
    cross join lateral (
      -- include: had-contact(key, left(hash, 320), true)
    ) as hit
)

-- part: by-contact-or-service-id
(
  select coalesce(u.merged_into, u.id)
  from user_identities i join users u on u.id = i.user_id
  where i.application_id = $1 and i.service_user_id = $5::uuid
)
union
-- include: by-contact(email_key, left(lower($6), 320), true)
union
-- The key of the mailbox, where the address is written in another spelling here or there.
-- include: by-contact(email_key, nullif($9, left(lower($6), 320)), true)
union
-- include: by-contact(mailbox_key, $9, mailbox_spelling = email_key)
union
-- include: by-contact(phone_e164, $7, true)
union
-- include: by-written-phone(fields ->> 'phoneNumber')
union
-- include: by-hash(hashed_email_key)
union
-- include: by-hash(hashed_phone_key)

-- name: list-users
select -- include: listed-columns(u)
from (
  -- include: by-id
) as found(user_id)
  -- include: page-of-found(u)

-- name: search-users
select -- include: listed-columns(u)
from (
  -- include: by-id
  union
  -- include: by-contact-or-service-id
) as found(user_id)
  -- include: page-of-found(u)
