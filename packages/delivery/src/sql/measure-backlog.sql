select
  c.channel,
  sum(open.n)::float8 as recipients,
  extract(
    epoch
    from now() - min(c.created_at)
  )::float8 as "oldestSeconds"
from
  campaigns c
  cross join lateral (
    select
      case
        when c.expanded_at is null then c.recipients_unique
        else coalesce(sum(k.n), 0)
      end as n
    from campaign_counters k
    where
      k.campaign_id = c.id
      and k.state = 'pending'
  ) open
where
  c.status in ('queued', 'sending')
  and open.n > 0
group by c.channel
