update link_visits v
set
  decided_at = now(),
  was_machine = x."isMachine"
from
  jsonb_to_recordset($1::jsonb) as x(
    "deliveryId" uuid,
    kind text,
    "urlHash" text,
    "isMachine" boolean,
    "isSaid" boolean
  )
where
  v.delivery_id = x."deliveryId"
  and v.kind = x.kind
  and v.url_hash = decode(x."urlHash", 'hex')
  and v.is_machine = x."isSaid"
  and v.decided_at is null
