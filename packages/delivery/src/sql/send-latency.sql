-- name: send-latency-so-far
select l.id, t.times
from jsonb_to_recordset($1::jsonb) as l (id uuid, chunks int[])
  cross join lateral (
    select percentile_disc(array[0.5, 0.95]) within group (
      order by (extract(epoch from d.sent_at - greatest(c.created_at, c.send_at)) * 1000)::float8
    ) as times
    from campaigns c join deliveries d on d.campaign_id = c.id
    where c.id = l.id
      and c.send_at_local is null
      and d.chunk_no = any(l.chunks)
      and d.sent_at is not null
  ) as t
