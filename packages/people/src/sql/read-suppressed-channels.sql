select
  c.channel,
  (
    select x.reason
    from suppressions x
    where
      x.application_id = u.application_id
      and x.channel = c.channel
      and x.address = any(
        case c.channel
          when 'SMS' then array[u.phone_e164]
          when 'EMAIL' then array[
            u.email_key,
            case u.mailbox_spelling
              when u.email_key then u.mailbox_key
            end
          ]
        end
      )
      and x.reason <> 'unsubscribed'
    order by
      x.created_at,
      x.id
    limit 1
  ) as reason
from
  users u
  cross join (
    values
      ('SMS'),
      ('EMAIL')
  ) as c (channel)
where u.id = $1
