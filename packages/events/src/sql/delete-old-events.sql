with
  due as (
    select
      request_id,
      message_index,
      received_at
    from events
    where
      application_id = $1
      and received_at < $2
    order by received_at
    limit $3
  ),
  gone as (
    delete from events e
    using due
    where
      e.request_id = due.request_id
      and e.message_index = due.message_index
      and e.received_at = due.received_at
    returning e.*
  ),
  -- The log has their requests for longer. The trigger leave_receipts would write their derived
  -- receipts too, but without the user, by whom the log finds them.
  kept as (
    insert into receipts as r (
      request_id,
      message_index,
      application_id,
      message_id,
      type,
      outcome,
      user_id,
      received_at
    )
    select
      request_id,
      message_index,
      application_id,
      message_id,
      type,
      'stored',
      user_id,
      received_at
    from gone g
    where
      exists (
        select
        from ingest_requests q
        where
          q.request_id = g.request_id
          and q.received_at = g.received_at
        offset
          0
      )
      and not exists (
        select
        from receipts p
        where
          p.request_id = g.request_id
          and p.message_index = g.message_index
          and p.received_at = g.received_at
          and p.outcome <> 'pending'
        offset
          0
      )
    on conflict (request_id, message_index, received_at) do update
    set
      outcome = excluded.outcome,
      user_id = excluded.user_id
    where r.outcome = 'pending'
  )
select count(*)::int as deleted
from gone
