select
  d.id,
  (
    extract(
      epoch
      from
        (
          array_agg(
            s.armed_at
            order by s.armed_at desc
          )
        )[$3::int] + $4::float8 * interval '1 ms' - clock_timestamp()
    ) * 1000
  )::float8 as free_in_ms
from
  deliveries d
  join marketing_sends s on s.user_id = d.user_id
    and s.channel = $2
    and s.delivery_id <> d.id
    and s.armed_at > clock_timestamp() - $4::float8 * interval '1 ms'
  join deliveries o on o.id = s.delivery_id
    and o.state not in ('failed', 'expired', 'canceled')
where d.id = any($1)
group by d.id
