with
  wanted as (
    select
      w.*,
      d.campaign_id,
      d.state,
      d.attempts,
      case
        when w.at is null then now()
        else least(
          now(),
          greatest(
            d.created_at,
            to_timestamp(least(greatest(w.at, 0), 1e14) / 1000)
          )
        )
      end as moment
    from
      jsonb_to_recordset($1::jsonb) as w(
        "deliveryId" uuid,
        note text,
        event text,
        at float8,
        detail text,
        position int
      )
      join deliveries d on d.id = w."deliveryId"
  ),
  noted as (
    update deliveries d
    set
      delivered_at = coalesce(d.delivered_at, n.delivered),
      displayed_at = coalesce(d.displayed_at, n.displayed),
      opened_at = coalesce(d.opened_at, n.opened),
      clicked_at = coalesce(d.clicked_at, n.clicked),
      dismissed_at = coalesce(d.dismissed_at, n.dismissed),
      machine_opened_at = coalesce(d.machine_opened_at, n.machine_opened),
      machine_clicked_at = coalesce(d.machine_clicked_at, n.machine_clicked),
      complained_at = coalesce(d.complained_at, n.complained),
      unsubscribed_at = coalesce(d.unsubscribed_at, n.unsubscribed)
    from
      (
        select
          "deliveryId",
          min(moment) filter (
            where note = 'delivered'
          ) as delivered,
          min(moment) filter (
            where note = 'displayed'
          ) as displayed,
          min(moment) filter (
            where note = 'opened'
          ) as opened,
          min(moment) filter (
            where note = 'clicked'
          ) as clicked,
          min(moment) filter (
            where note = 'dismissed'
          ) as dismissed,
          min(moment) filter (
            where note = 'machine_opened'
          ) as machine_opened,
          min(moment) filter (
            where note = 'machine_clicked'
          ) as machine_clicked,
          min(moment) filter (
            where note = 'complained'
          ) as complained,
          min(moment) filter (
            where note = 'unsubscribed'
          ) as unsubscribed
        from wanted
        group by 1
      ) n
    where d.id = n."deliveryId"
  ),
  counted as (
    insert into campaign_counters as c (
      campaign_id,
      state,
      reason,
      shard,
      n,
      first_at,
      last_at
    )
    select
      campaign_id,
      state,
      reason,
      $2::smallint,
      sum(n),
      case
        when sum(n) > 0 then now()
        else 'infinity'
      end,
      case
        when sum(n) > 0 then now()
        else '-infinity'
      end
    from
      (
        select
          campaign_id,
          note as state,
          '' as reason,
          1 as n
        from wanted
        where note in ('complained', 'unsubscribed')
      ) deltas
    group by
      1,
      2,
      3
    having sum(n) <> 0
    order by
      1,
      2,
      3
    on conflict (campaign_id, state, reason, shard) do update
    set
      n = c.n + excluded.n,
      first_at = least(c.first_at, excluded.first_at),
      last_at = greatest(c.last_at, excluded.last_at)
  ),
  tallied as (
    insert into campaign_tallies as t (campaign_id, kind, class, shard, n)
    select
      campaign_id,
      note,
      '',
      $2::smallint,
      count(*)
    from wanted
    where note in ('machine_opened', 'machine_clicked')
    group by
      1,
      2
    order by
      1,
      2
    on conflict (campaign_id, kind, class, shard) do update
    set n = t.n + excluded.n
  )
insert into campaign_events (
  campaign_id,
  type,
  delivery_id,
  attempt,
  status,
  detail
)
select
  campaign_id,
  event,
  "deliveryId",
  attempts,
  state,
  detail
from wanted
order by position
