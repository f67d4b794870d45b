-- part: begins-with(key, text)
-- Up to the largest code point: keys are compared bytewise. Every character of the text is data.
key >= text and key <= text || repeat(chr(1114111), 4)

-- part: by-name(own, other)
-- In the order of the index of this name. $4 is all of it that was typed.
(
  select u.id
  from users u
  where u.application_id = $1
    and u.registered_at is not null
    and u.fields ->> own is not null
    and -- include: begins-with(name_key(u.fields ->> own) collate "C", name_key($4))
  order by name_key(u.fields ->> own) collate "C", name_key(u.fields ->> other) collate "C"
  limit $3
)

-- part: by-full-name(own, other)
-- A whole name, and the beginning of the other one.
select hit.id
from unnest($11::text[], $12::text[]) as asked(whole, start)
  cross join lateral (
    select u.id
    from users u
    where u.application_id = $1
      and u.registered_at is not null
      and u.fields ->> own is not null
      and name_key(u.fields ->> own) collate "C" = name_key(asked.whole)
      and -- include: begins-with(name_key(u.fields ->> other) collate "C", name_key(asked.start))
    order by name_key(u.fields ->> other) collate "C"
    limit $3
  ) as hit

-- part: by-email-prefix
(
  select u.id
  from users u
  where u.application_id = $1
    and u.registered_at is not null
    and u.email_key is not null
    and -- include: begins-with(u.email_key, left(lower($6), 320))
  order by u.email_key, u.custom_user_id
  limit $3
)

-- part: by-phone-prefix
-- Digits are in this order in every collation, and a number has no more of them.
select hit.id
from unnest($13::text[]) as asked(prefix)
  cross join lateral (
    select u.id
    from users u
    where u.application_id = $1
      and u.registered_at is not null
      and u.phone_e164 >= asked.prefix
      and u.phone_e164 <= asked.prefix || '999999999999999'
    order by u.phone_e164, u.custom_user_id
    limit $3
  ) as hit

-- part: lacks-name(name)
coalesce(
  name_key(name) not in (name_key(u.fields ->> 'firstName'), name_key(u.fields ->> 'lastName')),
  true
)

-- name: find-people
-- The best match of a person counts.
select u.custom_user_id, u.fields ->> 'firstName' as first_name,
  u.fields ->> 'lastName' as last_name, u.fields ->> 'email' as email,
  u.fields ->> 'phoneNumber' as phone_number
from (
  select found.user_id, min(found.rank) as rank
  from (
    select id as user_id, 1 as rank
    from (
      -- include: by-contact-or-service-id
    ) as exact(id)
    union all
    select id, 2
    from (
      -- include: by-full-name('firstName', 'lastName')
      union all
      -- include: by-full-name('lastName', 'firstName')
    ) as named
    union all
    select id, 3
    from (
      -- include: by-name('firstName', 'lastName')
      union all
      -- include: by-name('lastName', 'firstName')
    ) as named
    union all
    select id, 4
    from (
      -- include: by-id
    ) as prefixed
    union all
    select id, 5
    from (
      -- include: by-email-prefix
      union all
      -- include: by-phone-prefix
    ) as prefixed
  ) as found
  group by found.user_id
) as best
  cross join lateral (select * from users where id = best.user_id offset 0) as u
where u.registered_at is not null
order by u.custom_user_id <> $4, best.rank,
  -- include: lacks-name($4),
  u.custom_user_id
limit $3
