-- part: mailbox-key(u)
-- The key counts as long as the address is the one that it was made of: the version before changes
-- the address alone.
case u.mailbox_spelling when u.email_key then u.mailbox_key end

-- part: contact-fields(u)
-- The sources of a user's address on a channel.
jsonb_strip_nulls(
  jsonb_build_object(
    'phoneNumber', u.fields -> 'phoneNumber', 'hashedPhoneNumber', u.fields -> 'hashedPhoneNumber',
    'email', u.fields -> 'email', 'hashedEmail', u.fields -> 'hashedEmail',
    'phoneE164', u.phone_e164
  )
)

-- part: allows(x, purpose)
-- A user who has unsubscribed gets no marketing.
(x.reason <> 'unsubscribed' or purpose = 'marketing')

-- part: proves(v, owner_id)
-- A device proves the user with this id, for the messages that it sends. Uses an index of devices.
v.proved_user_id = owner_id and v.user_id_at_proof = v.user_id

-- part: proved-user(d)
-- The user that a device proves. Older versions do not know proofs and change only the user of a
-- device, so a proof counts only for the user it was given with.
case when d.user_id_at_proof = d.user_id then d.proved_user_id end

-- part: own-time-zone(u)
-- What the application says of the user. Without it a device says the time zone.
u.custom_attributes ->> 'timeZone'

-- part: registered-by-ids(u)
u.application_id = $1 and u.custom_user_id = any($2) and u.registered_at is not null

-- part: time-zone-of-device(u)
(
  select w.time_zone
  from devices w
  where w.time_zone is not null
    and -- include: proves(w, u.id)
  order by w.seen_at desc
  limit 1
)

-- part: reachable-kinds(u)
select coalesce(jsonb_agg(distinct v.kind), '[]')
from devices v
where v.address is not null
  and -- include: proves(v, u.id)
  and v.kind in ('web_push', 'fcm')

-- part: first-service-user-id(owner_id)
(
  select i.service_user_id
  from user_identities i
  where i.user_id = owner_id
  order by i.created_at
  limit 1
)

-- part: service-user-ids(u)
-- Of a user and of the anonymous users merged into it: the 500 oldest, oldest first.
array(
  select i.service_user_id::text
  from users o join user_identities i on i.user_id = o.id
  where o.id = u.id or o.merged_into = u.id
  order by i.created_at, i.service_user_id
  limit 500
)
