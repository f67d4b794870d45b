-- part: recipient(d, u, chunk, owner_id)
-- What a worker reads of a delivery that it sends to an address of the profile: no more than its
-- channel needs.
case chunk.purpose
  when 'marketing' then left(
    coalesce(
      -- include: people/own-time-zone(u),
      -- include: people/time-zone-of-device(u)
    ),
    64
  )
end as time_zone,
case d.channel when 'EMAIL' then u.fields -> 'email' end as email,
case d.channel when 'EMAIL' then u.fields -> 'hashedEmail' end as "hashedEmail",
case d.channel when 'SMS' then u.fields -> 'phoneNumber' end as "phoneNumber",
case d.channel when 'SMS' then u.fields -> 'hashedPhoneNumber' end as "hashedPhoneNumber",
case d.channel when 'SMS' then u.phone_e164 end as "phoneE164",
chunk.settings_version, d.account, d.account_reason,
(
  select x.reason
  from suppressions x
  where x.application_id = d.application_id
    and x.channel = d.channel
    and x.address = any(
      case d.channel
        when 'SMS' then array[coalesce(d.test_address, u.phone_e164)]
        when 'EMAIL' then array[
          coalesce(lower(d.test_address), u.email_key),
          -- include: people/mailbox-key(u)
        ]
      end
    )
    and -- include: people/allows(x, chunk.purpose)
  order by x.created_at, x.id
  limit 1
) as suppression,
(extract(epoch from now() - greatest(d.created_at, chunk.retried_at)) * 1000)::float8 as age_ms,
case d.channel
  when 'WEB_HOOK' then -- include: people/first-service-user-id(owner_id)
end as service_user_id

-- part: is-as-read(d, x)
-- No other worker has claimed it since it was read, and the reading still counts.
x.read_until > date_part('epoch', now())
and d.fence = x.fence - 1
and -- include: claimable(d)

-- part: released(x)
state = 'pending', owner = null, lease_until = null, updated_at = now(),
next_at = now() + x.delay_ms * interval '1 ms'

-- name: claim-deliveries
with -- include: chunks-to-claim,
due as (
  select row.*, chunk.purpose, chunk.retried_at, chunk.settings_version
  from chunk
    cross join lateral (
      select d.id, d.user_id
      from deliveries d
      where d.campaign_id = chunk.campaign_id
        and d.chunk_no = chunk.chunk_no
        and -- include: has-recipient(d)
        and -- include: claimable(d)
      order by d.id
      limit $5
      for update of d skip locked
    ) row
)
update deliveries d
set state = 'claimed', fence = d.fence + 1, owner = $3,
  lease_until = now() + $4::float8 * interval '1 ms', updated_at = now()
from due left join users u on u.id = due.user_id
where d.id = due.id
returning d.id, d.campaign_id, d.chunk_no, d.fence, d.custom_user_id, d.attempts, d.doubts,
  d.test_address, due.user_id is not null and u.id is null as is_user_gone,
  -- include: recipient(d, u, due, due.user_id)

-- name: read-due-deliveries
with -- include: chunks-to-claim
-- Locks no row: the marking, or a claim of what is not sent, compares the fence.
select d.id, d.campaign_id, d.chunk_no, d.fence + 1 as fence, d.custom_user_id, d.attempts,
  d.doubts, d.test_address, d.user_id is not null and u.id is null as is_user_gone,
  -- include: recipient(d, u, chunk, d.user_id),
  date_part('epoch', now()) + $4::float8 / 1000 as read_until
from chunk
  cross join lateral (
    select d.id, d.campaign_id, d.chunk_no, d.application_id, d.channel, d.custom_user_id,
      d.user_id, d.test_address, d.fence, d.attempts, d.doubts, d.created_at, d.account,
      d.account_reason
    from deliveries d
    where d.campaign_id = chunk.campaign_id
      and d.chunk_no = chunk.chunk_no
      and -- include: has-recipient(d)
      and -- include: claimable(d)
    order by d.id
    limit $3
  ) d
  left join users u on u.id = d.user_id

-- name: claim-read-deliveries
update deliveries d
set state = 'claimed', fence = x.fence, owner = $4,
  lease_until = now() + $5::float8 * interval '1 ms', updated_at = now()
from unnest($1::uuid[], $2::int[], $3::float8[]) as x(id, fence, read_until)
where d.id = x.id
  and -- include: is-as-read(d, x)
returning d.id

-- name: release-deliveries
update deliveries d
set -- include: released(x)
from unnest($1::uuid[], $2::int[], $3::float8[]) as x(id, fence, delay_ms)
where d.id = x.id and d.fence = x.fence and d.state = 'claimed'

-- name: release-addresses
update delivery_addresses d
set -- include: released(x)
from unnest($1::uuid[], $2::int[], $3::float8[], $4::smallint[]) as x(id, fence, delay_ms, no)
where d.delivery_id = x.id and d.address_no = x.no and d.fence = x.fence and d.state = 'claimed'
