-- Keeps the first 500 characters of a page.
insert into link_visits as v (delivery_id, kind, url_hash, is_machine, page, link_count)
select distinct
  on (
    x."deliveryId",
    x.kind,
    sha256(convert_to(coalesce(x.url, ''), 'UTF8')),
    x."isMachine"
  ) x."deliveryId",
  x.kind,
  sha256(convert_to(coalesce(x.url, ''), 'UTF8')),
  x."isMachine",
  left(x.page, 500),
  x."linkCount"
from
  jsonb_to_recordset($1::jsonb) as x(
    "deliveryId" uuid,
    kind text,
    url text,
    page text,
    "isMachine" boolean,
    "linkCount" int
  )
order by
  1,
  2,
  3,
  4
on conflict (delivery_id, kind, url_hash, is_machine) do update
set
  at = now(),
  decided_at = null,
  was_machine = null
where
  v.was_machine
  and not v.is_machine
