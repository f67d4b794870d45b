with
  newest as (
    select
      request_id,
      received_at,
      message_count,
      coalesce(
        sum(message_count) over (
          order by
            received_at desc,
            request_id desc rows between unbounded preceding
              and 1 preceding
        ),
        0
      ) as messages_before
    from
      (
        select
          request_id,
          received_at,
          message_count
        from ingest_requests
        where
          application_id = $1
          and (
            $7::uuid is null
            or request_id = $7::uuid
          )
          and (
            $2::timestamptz is null
            or (received_at, request_id) <= ($2::timestamptz, $3::uuid)
          )
        order by
          received_at desc,
          request_id desc
        limit $5
      ) as r
  ),
  scanned as (
    select *
    from newest
    where messages_before < $5
  ),
  scan as (
    select
      (
        select count(*)
        from newest
      ) < $5
        and (
          select count(*)
          from scanned
        ) = (
          select count(*)
          from newest
        ) as is_end,
      last.*
    from
      (
        select 1
      ) as one
      left join (
        select
          (
            extract(
              epoch
              from received_at
            ) * 1000000
          )::float8 as scanned_micros,
          request_id as scanned_request_id
        from scanned
        order by
          received_at,
          request_id
        limit 1
      ) as last on true
  )
select
  scan.*,
  found.*
from
  scan
  left join (
    select
      (
        extract(
          epoch
          from m.received_at
        ) * 1000000
      )::float8 as micros,
      m.request_id,
      m.message_index,
      m.message_id,
      m.type,
      m.outcome,
      m.reason
    from
      (
        select
          r.request_id,
          r.message_index,
          r.received_at,
          r.message_id,
          r.type,
          r.user_id,
          shown.outcome,
          case
            when shown.outcome = 'held' then 'unregistered_user'
            else r.reason
          end as reason
        from
          scanned s
          cross join lateral (
            select
              s.request_id,
              message_index,
              s.received_at,
              coalesce(n.message_id, e.message_id) as message_id,
              coalesce(n.type, e.type) as type,
              coalesce(n.user_id, e.user_id) as user_id,
              n.reason,
              case
                when e.is_event
                  and coalesce(n.outcome, 'pending') = 'pending' then 'processed'
                else n.outcome
              end as outcome
            from
              (
                select
                  message_index,
                  message_id,
                  type,
                  user_id,
                  outcome,
                  reason
                from receipts
                where
                  request_id = s.request_id
                  and received_at = s.received_at
                offset
                  0
              ) as n
              full join (
                select
                  message_index,
                  message_id,
                  type,
                  user_id,
                  true as is_event
                from events
                where
                  request_id = s.request_id
                  and received_at = s.received_at
                offset
                  0
              ) as e using (message_index)
          ) as r
          left join lateral (
            select
              true as is_known,
              coalesce(root.registered_at, u.registered_at) as registered_at
            from
              users u
              left join users root on root.id = u.merged_into
            where
              u.id = r.user_id
              and r.outcome = 'stored'
            limit 1
          ) as person on true
          cross join lateral (
            select
              case
                when r.outcome <> 'stored' then r.outcome
                when r.user_id is null
                  or person.is_known is null
                  or person.registered_at is not null then 'processed'
                when exists (
                  select 1
                  from receipts p
                  where
                    p.request_id = s.request_id
                    and p.received_at = s.received_at
                    and p.type = 'user'
                    and p.outcome = 'pending'
                ) then 'pending'
                else 'held'
              end as outcome
          ) as shown
        where
          $2::timestamptz is null
          or (r.received_at, r.request_id, r.message_index) < ($2::timestamptz, $3::uuid, $4::int)
      ) as m
    where
      (
        $8::text is null
        or m.outcome = $8
      )
      and (
        $9::text is null
        or m.reason = $9
      )
      and (
        $10::uuid[] is null
        or m.user_id = any($10::uuid[])
        or m.request_id = any($11::uuid[])
        or (
          m.type = 'user'
          and m.user_id is null
          and (
            (m.request_id, m.message_index) in (
              select *
              from unnest($12::uuid[], $13::int[])
            )
            or (
              select true
              from receipts o
              where
                o.request_id = m.request_id
                and o.received_at = m.received_at
                and o.user_id = any($10::uuid[])
              limit 1
            )
            or (
              select true
              from
                (
                  select user_id
                  from events
                  where
                    request_id = m.request_id
                    and received_at = m.received_at
                  offset
                    0
                ) o
              where o.user_id = any($10::uuid[])
              limit 1
            )
          )
        )
      )
    order by
      m.received_at desc,
      m.request_id desc,
      m.message_index desc
    limit $6
  ) as found on true
order by
  found.micros desc,
  found.request_id desc,
  found.message_index desc
