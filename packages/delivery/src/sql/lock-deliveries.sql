select
  d.id,
  d.state,
  d.fence,
  d.attempts,
  d.addressed_at is not null as "isAddressed",
  array_remove(
    array[
      case
        when d.delivered_at is not null then 'delivered'
      end,
      case
        when d.displayed_at is not null then 'displayed'
      end,
      case
        when d.opened_at is not null then 'opened'
      end,
      case
        when d.clicked_at is not null then 'clicked'
      end,
      case
        when d.dismissed_at is not null then 'dismissed'
      end,
      case
        when d.machine_opened_at is not null then 'machine_opened'
      end,
      case
        when d.machine_clicked_at is not null then 'machine_clicked'
      end,
      case
        when d.complained_at is not null then 'complained'
      end,
      case
        when d.unsubscribed_at is not null then 'unsubscribed'
      end
    ],
    null
  ) as noted
from deliveries d
where d.id = any($1::uuid[])
order by d.id
for update of d
