-- part: mark-deliveries
-- Marks what is claimed, and records the words of personal messages.
marked as (
  update deliveries d
  set -- include: being-sent(d),
    account = x.account, account_reason = x.reason
  from unnest($1::uuid[], $2::int[], $10::text[], $11::text[]) as x(id, fence, account, reason)
  where d.id = x.id
    and -- include: is-held(d, x)
    and -- include: is-sending(d)
  returning -- include: marked-columns(d)
),
recorded as (
  -- include: record-words(marked, $4, $5, $6, $7, $8, $9)
)

-- part: mark-addresses
locked as (
  select d.campaign_id, d.delivery_id, c.application_id, r.words, r.rendered_at, r.template_no,
    r.variant_no, r.renderer, r.filled_in
  from delivery_addresses d
    join unnest(
      $1::uuid[], $2::int[], $10::smallint[], $4::uuid[], $5::float8[], $6::smallint[],
      $7::smallint[], $8::smallint[], $9::text[]
    ) as r(id, fence, no, words, rendered_at, template_no, variant_no, renderer, filled_in)
      on d.delivery_id = r.id
      and d.address_no = r.no
    join campaigns c on c.id = d.campaign_id
  where r.words is not null
    and -- include: is-held(d, r)
    and c.status = 'sending'
    and now() < c.expires_at
  order by d.delivery_id, d.address_no
  for no key update of d
),
-- Another device of the delivery may be sent to by another worker, with other words: the first of
-- them stays, and the other one is not marked.
recorded as (
  insert into delivery_data as own (
    campaign_id, delivery_id, application_id, words, rendered_at, template_no, variant_no, renderer,
    filled_in
  )
  select distinct on (delivery_id) campaign_id, delivery_id, application_id, words,
    to_timestamp(rendered_at / 1000), template_no, variant_no, renderer, filled_in
  from locked
  order by delivery_id
  on conflict (campaign_id, delivery_id) do update
  set words = own.words
  returning own.delivery_id, own.words
),
marked as (
  update delivery_addresses d
  set -- include: being-sent(d)
  from unnest($1::uuid[], $2::int[], $10::smallint[], $4::uuid[]) as x(id, fence, no, words)
    left join recorded on recorded.delivery_id = x.id
  where d.delivery_id = x.id
    and d.address_no = x.no
    and -- include: is-held(d, x)
    and (x.words is null or x.words = recorded.words)
    and -- include: is-sending(d)
  returning d.delivery_id as id, d.address_no, d.fence, d.campaign_id, d.chunk_no, d.lease_until
)

-- part: lease-chunks(marked)
update campaign_chunks k
set leased_until = a.lease_until,
  -- include: written-now(k)
from (
  select campaign_id, chunk_no, min(lease_until) as lease_until
  from marked
  group by 1, 2
  order by 1, 2
) a
where k.campaign_id = a.campaign_id
  and k.chunk_no = a.chunk_no
  and (k.leased_until is null or k.leased_until > a.lease_until or k.leased_until <= now())

-- part: being-sent(d)
state = 'sending', attempts = d.attempts + 1,
lease_until = clock_timestamp() + $3::float8 * interval '1 ms', updated_at = now()

-- part: marked-columns(d)
d.id, d.fence, d.application_id, d.campaign_id, d.chunk_no, d.lease_until

-- name: mark-deliveries-sending
with -- include: mark-deliveries,
leased as (
  -- include: lease-chunks(marked)
)
select id, fence
from marked

-- name: mark-addresses-sending
with -- include: mark-addresses,
leased as (
  -- include: lease-chunks(marked)
)
select id, address_no, fence
from marked

-- name: mark-read-deliveries-sending
with marked as (
  update deliveries d
  set -- include: being-sent(d),
    account = x.account, account_reason = x.reason,
    fence = x.fence
  from unnest($1::uuid[], $2::int[], $10::text[], $11::text[], $12::float8[]) as x(
    id, fence, account, reason, read_until
  )
  where d.id = x.id
    and -- include: is-as-read(d, x)
    and -- include: is-sending(d)
  returning -- include: marked-columns(d)
),
recorded as (
  -- include: record-words(marked, $4, $5, $6, $7, $8, $9)
),
leased as (
  -- include: lease-chunks(marked)
)
select id, fence
from marked

-- name: mark-deliveries-before-addresses
with -- include: mark-deliveries
select id, fence, campaign_id, chunk_no, lease_until::text as lease_until
from marked

-- name: mark-addresses-after-deliveries
with -- include: mark-addresses
select id, address_no, fence, campaign_id, chunk_no, lease_until::text as lease_until
from marked

-- name: record-leases
with marked as (
  select *
  from unnest($1::uuid[], $2::int[], $3::timestamptz[]) as a(campaign_id, chunk_no, lease_until)
)
-- include: lease-chunks(marked)
