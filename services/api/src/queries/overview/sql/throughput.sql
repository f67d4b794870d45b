-- name: read-throughput
select minute, sum(requests)::float8 as requests, sum(messages)::float8 as messages,
  sum(refused)::float8 as refused
from (
  select minute, requests, messages, 0 as refused
  from ingest_minutes
  where application_id = $1 and minute >= $2
  union all
  select date_trunc('minute', received_at), 0, 0, 1 + unlisted
  from refused_requests
  where application_id = $1 and received_at >= $2
) as x
group by minute
