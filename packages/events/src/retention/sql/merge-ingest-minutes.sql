with
  due as (
    select
      application_id,
      minute,
      backend
    from ingest_minutes
    where
      backend <> 0
      and minute < $1
    order by minute
    limit $2
    for update skip locked
  ),
  gone as (
    delete from ingest_minutes t
    using due
    where
      t.backend = due.backend
      and t.application_id = due.application_id
      and t.minute = due.minute
    returning t.*
  ),
  kept as (
    insert into ingest_minutes as s (application_id, minute, backend, requests, messages)
    select
      g.application_id,
      g.minute,
      0,
      sum(g.requests),
      sum(g.messages)
    from gone g
    group by
      g.application_id,
      g.minute
    order by
      g.application_id,
      g.minute
    on conflict (application_id, minute, backend) do update
    set
      requests = s.requests + excluded.requests,
      messages = s.messages + excluded.messages
  )
select count(*)::int as merged
from gone
