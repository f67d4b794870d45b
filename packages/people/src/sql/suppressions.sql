-- name: suppress-address
-- By the key of the mailbox, and by the spelling, by which the version before looks for it.
insert into suppressions (application_id, channel, address, reason, mailbox_key)
select $1::uuid, $2::text, w.address, $4::text, case when w.address ~ '[^!-~]' then $5::text end
from unnest(array[$3::text, $5::text]) as w(address)
where w.address is not null
on conflict (application_id, channel, address, reason) do nothing

-- name: delete-suppression
-- In every spelling.
delete from suppressions x
where x.application_id = $1
  and x.channel = $2
  and x.reason = $4
  and (
    x.address = any(array[$3, $5])
    or (x.channel = 'EMAIL' and x.address ~ '[^!-~]' and x.mailbox_key = coalesce($5, $3))
  )

-- name: read-subscriber
with mail as (
  select d.application_id, a.name, d.channel, c.traceparent,
    d.unsubscribed_at is not null as has_unsubscribed, d.test_address is not null as is_test,
    present.spelling as present_email, present.mailbox as present_mailbox, u.phone_e164,
    coalesce(lower($2), case when present.is_of_mail then present.spelling end) collate "C"
      as email,
    coalesce($3, case when present.is_of_mail then present.mailbox end) collate "C" as mailbox
  from deliveries d
    join applications a on a.id = d.application_id
    join campaigns c on c.id = d.campaign_id
    left join users u on u.id = d.user_id
    cross join lateral (
      select coalesce(lower(d.test_address), u.email_key) collate "C" as spelling,
        coalesce(
          lower(d.test_address),
          -- include: mailbox-key(u),
          u.email_key
        ) collate "C" as mailbox,
        d.test_address is not null
          or u.updated_at < d.created_at - interval '1 minute' as is_of_mail
    ) present
  where d.id = $1
),
recipient as (
  select m.*,
    case
      when not m.is_test
        and (m.mailbox = m.present_mailbox or m.email = m.present_email) then m.phone_e164
    end as sms
  from mail m
)
select r.application_id, r.name, r.channel, r.traceparent, r.has_unsubscribed, r.present_email,
  r.email, r.sms,
  array(
    select distinct x.channel
    from suppressions x
    where x.application_id = r.application_id
      and x.reason = 'unsubscribed'
      and (
        (x.channel = 'EMAIL' and x.address = any(array[r.email, r.mailbox]))
        or (x.channel = 'SMS' and x.address = r.sms)
      )
  ) as unsubscribed
from recipient r

-- name: list-suppressions
-- Each mailbox once: the row of another spelling is left out where there is one of the key.
select x.id, x.channel, x.address, x.reason, x.created_at
from suppressions x
where x.application_id = $1
  and ($2::text is null or x.channel = $2)
  and ($3::text[] is null or x.address = any($3))
  and ($4::uuid is null or x.id < $4)
  and not exists (
    select
    from suppressions k
    where k.application_id = x.application_id
      and k.channel = x.channel
      and k.address = x.mailbox_key
      and k.reason = x.reason
      and k.id <> x.id
  )
order by x.id desc
limit $5

-- name: find-suppression
select channel, address, reason from suppressions where id = $2 and application_id = $1

-- name: read-suppressed-channels
select c.channel,
  (
    select x.reason
    from suppressions x
    where x.application_id = u.application_id
      and x.channel = c.channel
      and x.address = any(
        case c.channel
          when 'SMS' then array[u.phone_e164]
          when 'EMAIL' then array[
            u.email_key,
            -- include: mailbox-key(u)
          ]
        end
      )
      and x.reason <> 'unsubscribed'
    order by x.created_at, x.id
    limit 1
  ) as reason
from users u
  cross join (
    values ('SMS'), ('EMAIL')
  ) as c (channel)
where u.id = $1
