-- name: record-link-hits
-- Keeps the first 500 characters of a page.
insert into link_visits as v (delivery_id, kind, url_hash, is_machine, page, link_count)
select distinct on (
    x."deliveryId", x.kind, sha256(convert_to(coalesce(x.url, ''), 'UTF8')), x."isMachine"
  ) x."deliveryId",
  x.kind, sha256(convert_to(coalesce(x.url, ''), 'UTF8')), x."isMachine", left(x.page, 500),
  x."linkCount"
from jsonb_to_recordset($1::jsonb) as x(
  "deliveryId" uuid, kind text, url text, page text, "isMachine" boolean, "linkCount" int
)
order by 1, 2, 3, 4
on conflict (delivery_id, kind, url_hash, is_machine) do update
set at = now(), decided_at = null, was_machine = null
where v.was_machine and not v.is_machine

-- name: classify-link-hits
-- A hit is a machine's if it identified itself, if it came within 1 s of the send, or if it was
-- within 1 s of a burst: clicks on three links, or on all links of an e-mail with two. Hits are
-- classified after 2 s, when the rest of a burst has arrived.
select v.delivery_id, v.kind, encode(v.url_hash, 'hex') as url_hash, v.page, v.at,
  v.is_machine as is_said,
  v.is_machine
    or coalesce(v.at < d.sent_at + interval '1000 ms', d.state = 'sending')
    or (
      select coalesce(
        max(o.link_count) > 1 and count(distinct o.url_hash) >= least(max(o.link_count), 3), false
      )
      from link_visits o
      where o.delivery_id = v.delivery_id
        and o.kind = 'click'
        and o.at between v.at - interval '1000 ms' and v.at + interval '1000 ms'
    ) as is_machine
from link_visits v left join deliveries d on d.id = v.delivery_id
where v.decided_at is null and v.at <= now() - interval '2000 ms'
order by v.at
limit $1

-- name: settle-link-hits
update link_visits v
set decided_at = now(), was_machine = x."isMachine"
from jsonb_to_recordset($1::jsonb) as x(
  "deliveryId" uuid, kind text, "urlHash" text, "isMachine" boolean, "isSaid" boolean
)
where v.delivery_id = x."deliveryId"
  and v.kind = x.kind
  and v.url_hash = decode(x."urlHash", 'hex')
  and v.is_machine = x."isSaid"
  and v.decided_at is null

-- name: purge-link-hits
delete from link_visits
where ctid in (
    select ctid from link_visits where decided_at < now() - $1::float8 * interval '1 ms' limit $2
  )

-- name: delete-link-hits
delete from link_visits where delivery_id = any($1::uuid[])
