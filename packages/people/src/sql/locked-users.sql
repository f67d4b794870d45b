-- name: lock-users
select id, application_id, merged_into, registered_at is not null as is_registered, fields::text,
  custom_attributes::text, clocks::text
from users
where id in (
    select unnest($1::uuid[])
    union
    select merged_into
    from users
    where id = any($1) and merged_into is not null
  )
order by id
for update

-- name: write-profiles
update users u
set fields = x.fields, custom_attributes = x."customAttributes", clocks = x.clocks,
  phone_e164 = x."phoneE164", mailbox_key = x."mailboxKey",
  mailbox_spelling = case
    when x."mailboxKey" is not null then left(lower(x.fields ->> 'email'), 320)
  end,
  updated_at = now(),
  registered_at = coalesce(u.registered_at, to_timestamp(x."registeredAt" / 1000.0))
from jsonb_to_recordset($1::jsonb) as x(
  id uuid, fields jsonb, "customAttributes" jsonb, clocks jsonb, "phoneE164" text,
  "mailboxKey" text, "registeredAt" float8
)
where u.id = x.id
