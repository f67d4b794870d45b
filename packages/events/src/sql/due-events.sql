-- name: find-held-events
select r.request_id, r.message_index, r.received_at,
  r.outcome = 'stored'
    and u.id is not null
    and coalesce(root.registered_at, u.registered_at) is null as is_held
from (
  select request_id, message_index, received_at, outcome, user_id
  from receipts
  where received_at < $1 and (request_id, message_index) > ($2::uuid, $3::int)
  order by request_id, message_index
  limit $4
) r
  left join users u on u.id = r.user_id
  left join users root on root.id = u.merged_into
order by r.request_id, r.message_index

-- name: delete-held-events
delete from events e using unnest($1::uuid[], $2::int[], $3::timestamptz[]) as h(
  request_id, message_index, received_at
)
where e.request_id = h.request_id
  and e.message_index = h.message_index
  and e.received_at = h.received_at

-- name: delete-old-events
with due as (
  select request_id, message_index, received_at
  from events
  where application_id = $1 and received_at < $2
  order by received_at
  limit $3
),
gone as (
  delete from events e using due
  where e.request_id = due.request_id
    and e.message_index = due.message_index
    and e.received_at = due.received_at
  returning e.*
),
-- The log has their requests for longer. The trigger leave_receipts would write their derived
-- receipts too, but without the user, by whom the log finds them.
kept as (
  insert into receipts as r (
    request_id, message_index, application_id, message_id, type, outcome, user_id, received_at
  )
  select request_id, message_index, application_id, message_id, type, 'stored', user_id, received_at
  from gone g
  where exists (
      select
      from ingest_requests q
      where q.request_id = g.request_id and q.received_at = g.received_at
      offset 0
    )
    and not exists (
      select
      from receipts p
      where p.request_id = g.request_id
        and p.message_index = g.message_index
        and p.received_at = g.received_at
        and p.outcome <> 'pending'
      offset 0
    )
  on conflict (request_id, message_index, received_at) do update
  set outcome = excluded.outcome, user_id = excluded.user_id
  where r.outcome = 'pending'
)
select count(*)::int as deleted
from gone
