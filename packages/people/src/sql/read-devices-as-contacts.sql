select
  u.custom_user_id,
  jsonb_build_object(
    'deviceKinds',
    (
      select coalesce(jsonb_agg(distinct v.kind), '[]')
      from devices v
      where
        v.address is not null
        and v.proved_user_id = u.id
        and v.user_id_at_proof = v.user_id
        and v.kind in ('web_push', 'fcm')
    )
  ) as profile,
  (
    select x.reason
    from suppressions x
    where
      x.application_id = u.application_id
      and x.channel = $3
      and x.address = any(
        case $3
          when 'SMS' then array[u.phone_e164]
          when 'EMAIL' then array[
            u.email_key,
            case u.mailbox_spelling
              when u.email_key then u.mailbox_key
            end
          ]
        end
      )
      and (
        x.reason <> 'unsubscribed'
        or $4::text = 'marketing'
      )
    order by
      x.created_at,
      x.id
    limit 1
  ) as suppression
from users u
where
  u.application_id = $1
  and u.custom_user_id = any($2)
  and u.registered_at is not null
