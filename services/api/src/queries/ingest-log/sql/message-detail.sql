-- name: read-message-detail
with scanned as (
  select request_id, received_at
  from ingest_requests
  where request_id = $1 and application_id = $2
)
select m.message_id, m.type, m.outcome, m.reason, m.received_at, p.custom_user_id, p.fields::text,
  p.custom_attributes::text, p.clocks::text, e.time::text, e.slug, e.attributes::text, e.revenue,
  e.currency, k.request_id as first_request_id, k.message_index as first_index
from (
  -- include: events/shown-receipts
) m
  left join users u on u.id = coalesce(
      m.user_id,
      (
        select o.user_id
        from receipts o
        where o.request_id = m.request_id
          and o.received_at = m.received_at
          and o.user_id is not null
        limit 1
      ),
      (
        select o.user_id
        from events o
        where o.request_id = m.request_id
          and o.received_at = m.received_at
          and o.user_id is not null
        limit 1
      ),
      (select id from users where application_id = $2 and custom_user_id = $4)
    )
  left join users p on p.id = coalesce(u.merged_into, u.id)
  left join events e on e.request_id = m.request_id
    and e.received_at = m.received_at
    and e.message_index = m.message_index
  left join lateral (
    select (array_agg(request_id))[1] as request_id, (array_agg(message_index))[1] as message_index
    from holders_of($2, m.message_id)
    having count(*) = 1
  ) k on m.reason = 'duplicate_id'
where m.message_index = $3
