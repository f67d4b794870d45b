-- name: list-accepted
with newest as (
  select request_id, received_at, message_count,
    coalesce(
      sum(message_count) over (
        order by received_at desc, request_id desc rows between unbounded preceding and 1 preceding
      ),
      0
    ) as messages_before
  from (
    select request_id, received_at, message_count
    from ingest_requests
    where application_id = $1
      and ($7::uuid is null or request_id = $7::uuid)
      and ($2::timestamptz is null or (received_at, request_id) <= ($2::timestamptz, $3::uuid))
    order by received_at desc, request_id desc
    limit $5
  ) as r
),
scanned as (
  select * from newest where messages_before < $5
),
scan as (
  select (select count(*) from newest) < $5
      and (select count(*) from scanned) = (select count(*) from newest) as is_end,
    last.*
  from (select 1) as one
    left join (
      select -- include: events/micros(received_at) as scanned_micros,
        request_id as scanned_request_id
      from scanned
      order by received_at, request_id
      limit 1
    ) as last on true
)
select scan.*, found.*
from scan
  left join (
    select -- include: events/logged-columns(m)
    from (
      -- include: events/shown-receipts
      where $2::timestamptz is null
        or (r.received_at, r.request_id, r.message_index) < ($2::timestamptz, $3::uuid, $4::int)
    ) as m
    where ($8::text is null or m.outcome = $8)
      and ($9::text is null or m.reason = $9)
      and -- include: events/is-of-user(m, $10, $11, $12, $13)
    order by m.received_at desc, m.request_id desc, m.message_index desc
    limit $6
  ) as found on true
order by found.micros desc, found.request_id desc, found.message_index desc
