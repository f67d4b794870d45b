with
  mail as (
    select
      d.application_id,
      a.name,
      d.channel,
      c.traceparent,
      d.unsubscribed_at is not null as has_unsubscribed,
      d.test_address is not null as is_test,
      present.spelling as present_email,
      present.mailbox as present_mailbox,
      u.phone_e164,
      coalesce(
        lower($2),
        case
          when present.is_of_mail then present.spelling
        end
      ) collate "C" as email,
      coalesce(
        $3,
        case
          when present.is_of_mail then present.mailbox
        end
      ) collate "C" as mailbox
    from
      deliveries d
      join applications a on a.id = d.application_id
      join campaigns c on c.id = d.campaign_id
      left join users u on u.id = d.user_id
      cross join lateral (
        select
          coalesce(lower(d.test_address), u.email_key) collate "C" as spelling,
          coalesce(
            lower(d.test_address),
            case u.mailbox_spelling
              when u.email_key then u.mailbox_key
            end,
            u.email_key
          ) collate "C" as mailbox,
          d.test_address is not null
          or u.updated_at < d.created_at - interval '1 minute' as is_of_mail
      ) present
    where d.id = $1
  ),
  recipient as (
    select
      m.*,
      case
        when not m.is_test
          and (
            m.mailbox = m.present_mailbox
            or m.email = m.present_email
          ) then m.phone_e164
      end as sms
    from mail m
  )
select
  r.application_id,
  r.name,
  r.channel,
  r.traceparent,
  r.has_unsubscribed,
  r.present_email,
  r.email,
  r.sms,
  array(
    select distinct x.channel
    from suppressions x
    where
      x.application_id = r.application_id
      and x.reason = 'unsubscribed'
      and (
        (
          x.channel = 'EMAIL'
          and x.address = any(array[r.email, r.mailbox])
        )
        or (
          x.channel = 'SMS'
          and x.address = r.sms
        )
      )
  ) as unsubscribed
from recipient r
