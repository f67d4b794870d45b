with
-- `offset 0` makes the planner look each campaign up by its id. Otherwise it may read all campaigns
-- that are being sent.
  chunk as (
    select
      x.campaign_id,
      x.chunk_no,
      campaign.*
    from
      unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
      cross join lateral (
        select
          c.purpose,
          c.retried_at,
          s.version as settings_version
        from
          campaigns c
          left join channel_settings s on s.application_id = c.application_id
            and s.channel = c.channel
        where
          c.id = x.campaign_id
          and c.status = 'sending'
          and not (
            c.source <> 'test'
            and exists (
              select
              from
                channel_pauses p
                join channel_settings s on s.application_id = p.application_id
                  and s.channel = p.channel
                  and s.version = p.version
              where
                p.application_id = c.application_id
                and p.channel = c.channel
            )
          )
        offset 0
      ) campaign
  )
-- Locks no row: the marking, or a claim of what is not sent, compares the fence.
select
  d.id,
  d.campaign_id,
  d.chunk_no,
  d.fence + 1 as fence,
  d.custom_user_id,
  d.attempts,
  d.doubts,
  d.test_address,
  d.user_id is not null
    and u.id is null as is_user_gone,
  left(
    coalesce(
      u.custom_attributes ->> 'timeZone',
      case chunk.purpose
        when 'marketing' then (
          select w.time_zone
          from devices w
          where
            w.time_zone is not null
            and w.proved_user_id = u.id
            and w.user_id_at_proof = w.user_id
          order by w.seen_at desc
          limit 1
        )
      end
    ),
    64
  ) as time_zone,
  jsonb_strip_nulls(
    jsonb_build_object(
      'phoneNumber',
      u.fields -> 'phoneNumber',
      'hashedPhoneNumber',
      u.fields -> 'hashedPhoneNumber',
      'email',
      u.fields -> 'email',
      'hashedEmail',
      u.fields -> 'hashedEmail',
      'phoneE164',
      u.phone_e164
    )
  ) as profile,
  chunk.settings_version,
  (
    select x.reason
    from suppressions x
    where
      x.application_id = d.application_id
      and x.channel = d.channel
      and x.address = any(
        case d.channel
          when 'SMS' then array[coalesce(d.test_address, u.phone_e164)]
          when 'EMAIL' then array[
            coalesce(lower(d.test_address), u.email_key),
            case u.mailbox_spelling
              when u.email_key then u.mailbox_key
            end
          ]
        end
      )
      and (
        x.reason <> 'unsubscribed'
        or chunk.purpose = 'marketing'
      )
    order by
      x.created_at,
      x.id
    limit 1
  ) as suppression,
  (
    extract(
      epoch
      from now() - greatest(d.created_at, chunk.retried_at)
    ) * 1000
  )::float8 as age_ms,
  (
    select i.service_user_id
    from user_identities i
    where i.user_id = d.user_id
    order by i.created_at
    limit 1
  ) as service_user_id,
  date_part('epoch', now()) + $4::float8 / 1000 as read_until
from
  chunk
  cross join lateral (
    select
      d.id,
      d.campaign_id,
      d.chunk_no,
      d.application_id,
      d.channel,
      d.custom_user_id,
      d.user_id,
      d.test_address,
      d.fence,
      d.attempts,
      d.doubts,
      d.created_at
    from deliveries d
    where
      d.campaign_id = chunk.campaign_id
      and d.chunk_no = chunk.chunk_no
      and (
        d.user_id is not null
        or d.test_address is not null
      )
      and (
        (
          d.state in ('pending', 'retry_wait')
          and (
            d.next_at <= now()
            or d.updated_at > statement_timestamp() + interval '60 s'
          )
        )
        or (
          d.state = 'claimed'
          and (
            d.lease_until < now()
            or d.updated_at > statement_timestamp() + interval '60 s'
          )
        )
      )
    order by d.id
    limit $3
  ) d
  left join users u on u.id = d.user_id
