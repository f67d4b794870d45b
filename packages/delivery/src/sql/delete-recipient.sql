-- name: delete-recipient
with own as (
  select d.id
  from campaigns c join deliveries d on d.campaign_id = c.id and d.custom_user_id = $2
  where c.application_id = $1 and c.source <> 'test'
  union all
  select unnest($3::uuid[])
),
locked as (
  select d.id from deliveries d where d.id in (select id from own) order by d.id for update
),
forgotten as (
  update deliveries d
  set test_address = null, device_id = null, provider_message = null,
    custom_user_id = case when d.test_address is null then d.custom_user_id else d.id::text end,
    -- Who has it claimed does not mark it any more, and records nothing.
    fence = case when d.state = 'claimed' then d.fence + 1 else d.fence end
  from locked
  where d.id = locked.id
  returning d.id,
    d.addressed_at is null
      and d.doubts = 0
      and d.state in ('pending', 'claimed', 'retry_wait') as is_unsent
),
nameless as (
  update delivery_addresses a
  set device_id = null, provider_message = null,
    fence = case when a.state = 'claimed' then a.fence + 1 else a.fence end
  from (
    select o.delivery_id, o.address_no
    from locked join delivery_addresses o on o.delivery_id = locked.id
    order by 1, 2
    for update of o
  ) own_addresses
  where a.delivery_id = own_addresses.delivery_id and a.address_no = own_addresses.address_no
),
quiet as (
  update campaign_events e
  set detail = null
  from forgotten f
  where e.delivery_id = f.id and e.detail is not null
)
select id, is_unsent
from forgotten

-- name: find-test-sends
select d.id, d.channel, d.test_address
from campaigns c join deliveries d on d.campaign_id = c.id
where c.application_id = $1 and c.source = 'test' and d.test_address is not null

-- name: delete-pause-messages
with pause as (
  update channel_pauses p
  set provider_message = null
  where p.application_id = $1
    and exists (
      select
      from unnest($2::text[]) as a (address)
      where strpos(lower(p.provider_message), lower(a.address)) > 0
    )
)
update campaign_events e
set detail = null
where e.delivery_id is null
  and e.detail is not null
  and e.type = 'channel.paused'
  and exists (
    select
    from unnest($2::text[]) as a (address)
    where strpos(lower(e.detail), lower(a.address)) > 0
  )
  and exists (select from campaigns c where c.id = e.campaign_id and c.application_id = $1)
