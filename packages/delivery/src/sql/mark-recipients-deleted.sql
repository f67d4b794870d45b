update campaigns c
set
  recipients_forgotten_at = now(),
  p50_ms = coalesce(c.p50_ms, t."p50Ms"),
  p95_ms = coalesce(c.p95_ms, t."p95Ms")
from jsonb_to_recordset($1::jsonb) as t (id uuid, "p50Ms" bigint, "p95Ms" bigint)
where c.id = t.id
