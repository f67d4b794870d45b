-- part: delete-person-events(locking)
with due as (
  select request_id, message_index, received_at, user_id
  from events
  where user_id = any($1)
  limit $2
  locking
),
gone as (
  delete from events e using due d
  where e.request_id = d.request_id
    and e.message_index = d.message_index
    and e.received_at = d.received_at
  returning e.request_id, e.message_index, e.received_at, e.user_id
),
visible as (
  select u.id
  from users u left join users root on root.id = u.merged_into
  where u.id = any($1) and coalesce(root.registered_at, u.registered_at) is not null
),
unnamed as (
  update receipts r
  set user_id = null, outcome = case when g.is_visible then r.outcome else 'dropped' end,
    reason = case when g.is_visible then r.reason else 'unregistered_user' end
  from (
    select gone.*, exists (select from visible where id = gone.user_id) as is_visible
    from gone
  ) g
  where r.request_id = g.request_id
    and r.message_index = g.message_index
    and r.received_at = g.received_at
)
select count(*)::int as deleted
from gone

-- part: anonymize-message-keys(locking)
with due as (
  select application_id, message_id, origin
  from message_keys
  where application_id = $1 and service_user_id = any($2)
  limit $3
  locking
)
update message_keys k
set service_user_id = null, time = null
from due d
where k.application_id = d.application_id and k.message_id = d.message_id and k.origin = d.origin

-- part: anonymize-rejected-requests(locking)
with due as (
  select request_id
  from refused_requests
  where application_id = $1 and (custom_user_id = $2 or service_user_id = any($3))
  limit $4
  locking
)
update refused_requests r
set custom_user_id = null, service_user_id = null
from due d
where r.request_id = d.request_id

-- name: find-person
select u.id,
  array(select service_user_id::text from user_identities where user_id = u.id) as service_user_ids,
  array[u.fields ->> 'email', u.fields ->> 'phoneNumber', u.phone_e164]
    || array(
      select address
      from devices v
      where v.user_id = u.id
        or (
          -- include: people/proves(v, u.id)
        )
    ) as addresses
from users p join users u on u.id = p.id or u.merged_into = p.id
where p.application_id = $1 and p.custom_user_id = $2
order by u.id

-- name: delete-person-dead-letters
delete from dead_letters
where application_id = $1
  and (
    record_key = any($2)
    or request_id in (select request_id from events where user_id = any($3))
  )

-- name: delete-person-events
-- include: delete-person-events(for update)

-- name: delete-free-person-events
-- include: delete-person-events(for update skip locked)

-- name: read-receipt-partitions
select lag(ends) over (order by ends) as starts, ends from partitions_of('receipts') order by ends

-- name: anonymize-receipts
update receipts
set user_id = null
where application_id = $1
  and reason is not null
  and user_id = any($2)
  and ($3::timestamptz is null or received_at >= $3::timestamptz)
  and received_at < $4

-- name: anonymize-message-keys
-- include: anonymize-message-keys(for update)

-- name: anonymize-free-message-keys
-- include: anonymize-message-keys(for update skip locked)

-- name: anonymize-rejected-requests
-- include: anonymize-rejected-requests(for update)

-- name: anonymize-free-rejected-requests
-- include: anonymize-rejected-requests(for update skip locked)

-- name: delete-person-identities
delete from user_identities where user_id = any($1)

-- name: delete-person-users
delete from users where id = any($1)

-- name: person-has-more
select (select count(*) from (select from events where user_id = any($1) limit $4 + 1) e) > $4
  or (
    select count(*)
    from (
      select
      from message_keys
      where application_id = $2 and service_user_id = any($3)
      limit $4 + 1
    ) k
  ) > $4
  or (
    select count(*)
    from (
      select
      from refused_requests
      where application_id = $2 and (custom_user_id = $5 or service_user_id = any($3))
      limit $4 + 1
    ) f
  ) > $4 as has_more
