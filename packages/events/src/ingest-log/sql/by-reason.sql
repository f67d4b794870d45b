-- name: list-by-reason
select -- include: events/logged-columns(r)
from unnest($6::text[]) as wanted(reason)
  cross join lateral (
    select *
    from receipts
    where application_id = $1
      and reason = wanted.reason
      and -- include: events/is-on-page
    order by received_at desc, request_id desc, message_index desc
    limit $5
  ) as r
order by r.received_at desc, r.request_id desc, r.message_index desc
limit $5
