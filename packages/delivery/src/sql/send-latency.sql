-- name: send-latency-so-far
-- Chunks below zero, which may be small, are sampled by their number: as many as have some 10,000
-- recipients.
select l.id, t.times
from jsonb_to_recordset($1::jsonb) as l (id uuid, chunks int[])
  cross join lateral (
    select percentile_disc(array[0.5, 0.95]) within group (
      order by -- include: send-latency(c, d)
    ) as times
    from campaigns c
      cross join lateral (
        select - least(min(k.chunk_no), 0) as below,
          ceil(10000.0 / greatest(c.recipients_unique, 1) * - least(min(k.chunk_no), 0)) as wanted
        from campaign_chunks k
        where k.campaign_id = c.id
      ) f
      join deliveries d on d.campaign_id = c.id
    where c.id = l.id
      and c.send_at_local is null
      and d.chunk_no = any(
        case
          when f.below > 0 then array(
            select - ceil(i * f.below / least(f.below, f.wanted))::int
            from generate_series(1, least(f.below, f.wanted)::int) as i
          )
          else l.chunks
        end
      )
      and d.sent_at is not null
  ) as t
