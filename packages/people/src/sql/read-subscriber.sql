with
  mail as (
    select
      d.application_id,
      a.name,
      d.channel,
      c.traceparent,
      d.unsubscribed_at is not null as has_unsubscribed,
      d.test_address is not null as is_test,
      coalesce(lower(d.test_address), u.email_key) collate "C" as present_email,
      u.phone_e164,
      coalesce(
        lower($2),
        lower(d.test_address),
        case
          when u.updated_at < d.created_at - interval '1 minute' then u.email_key
        end
      ) collate "C" as email
    from
      deliveries d
      join applications a on a.id = d.application_id
      join campaigns c on c.id = d.campaign_id
      left join users u on u.id = d.user_id
    where d.id = $1
  ),
  recipient as (
    select
      m.*,
      case
        when not m.is_test
          and m.email = m.present_email then m.phone_e164
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
    select x.channel
    from suppressions x
    where
      x.application_id = r.application_id
      and x.reason = 'unsubscribed'
      and (x.channel, x.address) in (('EMAIL', r.email), ('SMS', r.sms))
  ) as unsubscribed
from recipient r
