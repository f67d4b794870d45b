-- part: suppression-of-contact(u)
-- Why a user gets no message on channel $3, with purpose $4: null if there is no reason.
(
  select x.reason
  from suppressions x
  where x.application_id = u.application_id
    and x.channel = $3
    and x.address = any(
      case $3
        when 'SMS' then array[u.phone_e164]
        when 'EMAIL' then array[
          u.email_key,
          -- include: mailbox-key(u)
        ]
      end
    )
    and -- include: allows(x, $4::text)
  order by x.created_at, x.id
  limit 1
)

-- name: read-channel-state
select -- include: accounts/channel-sends(s, a) as sends,
  coalesce(
    not -- include: accounts/is-ready(s),
    false
  ) as is_untested
from applications a left join channel_settings s on s.application_id = a.id and s.channel = $2
where a.id = $1

-- name: read-devices-as-contacts
select u.custom_user_id,
  jsonb_build_object(
    'deviceKinds', (
      -- include: reachable-kinds(u)
    )
  ) as profile,
  -- include: suppression-of-contact(u) as suppression
from users u
where -- include: registered-by-ids(u)

-- name: read-contacts
select u.custom_user_id,
  -- include: contact-fields(u) as profile,
  -- include: suppression-of-contact(u) as suppression
from users u
where -- include: registered-by-ids(u)
