-- name: lock-deliveries
select d.id, d.state, d.fence, d.attempts, d.addressed_at is not null as "isAddressed",
  (select c.heard <> '{}' from campaigns c where c.id = d.campaign_id) as "isHeard",
  array_remove(
    array[
      case when d.delivered_at is not null then 'delivered' end,
      case when d.displayed_at is not null then 'displayed' end,
      case when d.opened_at is not null then 'opened' end,
      case when d.clicked_at is not null then 'clicked' end,
      case when d.dismissed_at is not null then 'dismissed' end,
      case when d.machine_opened_at is not null then 'machine_opened' end,
      case when d.machine_clicked_at is not null then 'machine_clicked' end,
      case when d.complained_at is not null then 'complained' end,
      case when d.unsubscribed_at is not null then 'unsubscribed' end
    ],
    null
  ) as noted
from deliveries d
where d.id = any($1::uuid[])
order by d.id
for update of d

-- name: record-updates
with wanted as (
  select w.*, d.campaign_id, d.state, d.attempts,
    -- include: outcome-time(w, d) as moment
  from jsonb_to_recordset($1::jsonb) as w(
    "deliveryId" uuid, note text, event text, at float8, detail text, position int
  )
    join deliveries d on d.id = w."deliveryId"
),
noted as (
  update deliveries d
  set delivered_at = coalesce(d.delivered_at, n.delivered),
    displayed_at = coalesce(d.displayed_at, n.displayed),
    opened_at = coalesce(d.opened_at, n.opened), clicked_at = coalesce(d.clicked_at, n.clicked),
    dismissed_at = coalesce(d.dismissed_at, n.dismissed),
    machine_opened_at = coalesce(d.machine_opened_at, n.machine_opened),
    machine_clicked_at = coalesce(d.machine_clicked_at, n.machine_clicked),
    complained_at = coalesce(d.complained_at, n.complained),
    unsubscribed_at = coalesce(d.unsubscribed_at, n.unsubscribed)
  from (
    select "deliveryId", min(moment) filter (where note = 'delivered') as delivered,
      min(moment) filter (where note = 'displayed') as displayed,
      min(moment) filter (where note = 'opened') as opened,
      min(moment) filter (where note = 'clicked') as clicked,
      min(moment) filter (where note = 'dismissed') as dismissed,
      min(moment) filter (where note = 'machine_opened') as machine_opened,
      min(moment) filter (where note = 'machine_clicked') as machine_clicked,
      min(moment) filter (where note = 'complained') as complained,
      min(moment) filter (where note = 'unsubscribed') as unsubscribed
    from wanted
    group by 1
  ) n
  where d.id = n."deliveryId"
),
deltas as (
  select campaign_id, note as state, '' as reason, 1 as n
  from wanted
  where note in -- include: counted-notes
),
counted as (
  -- include: count-deltas($2)
),
tallied as (
  insert into campaign_tallies as t (campaign_id, kind, class, shard, n)
  select campaign_id, note, '', $2::smallint, count(*)
  from wanted
  where note in ('machine_opened', 'machine_clicked')
  group by 1, 2
  order by 1, 2
  on conflict (campaign_id, kind, class, shard) do update
  set n = t.n + excluded.n
)
insert into campaign_events (campaign_id, type, delivery_id, attempt, status, detail)
select campaign_id, event, "deliveryId", attempts, state, detail
from wanted
order by position
