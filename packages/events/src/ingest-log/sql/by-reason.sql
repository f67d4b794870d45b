-- name: list-by-reason
select (extract(epoch from r.received_at) * 1000000)::float8 as micros, r.request_id,
  r.message_index, r.message_id, r.type, r.outcome, r.reason
from unnest($6::text[]) as wanted(reason)
  cross join lateral (
    select *
    from receipts
    where application_id = $1
      and reason = wanted.reason
      and (
        $2::timestamptz is null
        or (
          received_at <= $2::timestamptz
          and (received_at, request_id, message_index) < ($2::timestamptz, $3::uuid, $4::int)
        )
      )
    order by received_at desc, request_id desc, message_index desc
    limit $5
  ) as r
order by r.received_at desc, r.request_id desc, r.message_index desc
limit $5
