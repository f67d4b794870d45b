-- name: read-ingest-report
with scanned as (select $1::uuid as request_id, $2::timestamptz as received_at)
select m.message_index, m.message_id, m.type, m.outcome, m.reason
from (
  -- include: events/shown-receipts
) m
order by m.message_index
