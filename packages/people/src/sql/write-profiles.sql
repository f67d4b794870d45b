update users u
set
  fields = x.fields,
  custom_attributes = x."customAttributes",
  clocks = x.clocks,
  phone_e164 = x."phoneE164",
  updated_at = now(),
  registered_at = coalesce(u.registered_at, to_timestamp(x."registeredAt" / 1000.0))
from
  jsonb_to_recordset($1::jsonb) as x(
    id uuid,
    fields jsonb,
    "customAttributes" jsonb,
    clocks jsonb,
    "phoneE164" text,
    "registeredAt" float8
  )
where u.id = x.id
