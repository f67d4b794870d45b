-- part: is-of-user(m, user_ids, dead_requests, profile_requests, profile_indexes)
-- Nulls match all users.
--
-- The receipt of an ordinary processed `user` message names no user. It is matched by the profile
-- values that it set, or by another message of its request, whose receipt or event names the user:
-- all messages of a request have the same user. `offset 0` keeps the planner from reading all
-- events of the user.
(
  user_ids::uuid[] is null
  or m.user_id = any(user_ids::uuid[])
  or m.request_id = any(dead_requests::uuid[])
  or (
    m.type = 'user'
    and m.user_id is null
    and (
      (m.request_id, m.message_index) in (
        select * from unnest(profile_requests::uuid[], profile_indexes::int[])
      )
      or (
        select true
        from receipts o
        where o.request_id = m.request_id
          and o.received_at = m.received_at
          and o.user_id = any(user_ids::uuid[])
        limit 1
      )
      or (
        select true
        from (
          select user_id
          from events
          where request_id = m.request_id and received_at = m.received_at
          offset 0
        ) o
        where o.user_id = any(user_ids::uuid[])
        limit 1
      )
    )
  )
)

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
      select (extract(epoch from received_at) * 1000000)::float8 as scanned_micros,
        request_id as scanned_request_id
      from scanned
      order by received_at, request_id
      limit 1
    ) as last on true
)
select scan.*, found.*
from scan
  left join (
    select (extract(epoch from m.received_at) * 1000000)::float8 as micros, m.request_id,
      m.message_index, m.message_id, m.type, m.outcome, m.reason
    from (
      -- include: shown-receipts
      where $2::timestamptz is null
        or (r.received_at, r.request_id, r.message_index) < ($2::timestamptz, $3::uuid, $4::int)
    ) as m
    where ($8::text is null or m.outcome = $8)
      and ($9::text is null or m.reason = $9)
      and -- include: is-of-user(m, $10, $11, $12, $13)
    order by m.received_at desc, m.request_id desc, m.message_index desc
    limit $6
  ) as found on true
order by found.micros desc, found.request_id desc, found.message_index desc
