-- name: find-messages
with reasons(reason) as (
  select unnest(
      array[
        'duplicate_id', 'duplicate_user_time', 'empty_name', 'unknown_slug', 'slug_kind_mismatch',
        'unregistered_user', 'invalid_service_user_id', 'empty_user_id', 'identity_conflict',
        'definition_discarded', 'definition_limit', 'dead_letter'
      ]
    )
),
known as (
  select request_id, message_index, received_at
  from holders_of($1, $2)
  union
  select r.request_id, r.message_index, r.received_at
  from reasons
    cross join lateral (
      select request_id, message_index, received_at, message_id
      from receipts
      where application_id = $1 and reason = reasons.reason
      order by received_at desc
      limit $8
    ) as r
  where r.message_id = $2
),
scanned as (
  select distinct request_id, received_at from known
)
select -- include: events/logged-columns(m)
from (
  -- include: events/shown-receipts
) as m
where m.message_id = $2
  and -- include: events/is-of-user(m, $4, $5, $6, $7)
order by m.received_at desc, m.request_id desc, m.message_index desc
limit $3
