-- A hit is a machine's if it identified itself, if it came within 1 s of the send, or if it was
-- within 1 s of a burst: clicks on three links, or on all links of an e-mail with two. Hits are
-- classified after 2 s, when the rest of a burst has arrived.
select
  v.delivery_id,
  v.kind,
  encode(v.url_hash, 'hex') as url_hash,
  v.page,
  v.at,
  v.is_machine as is_said,
  v.is_machine
    or coalesce(v.at < d.sent_at + interval '1000 ms', d.state = 'sending')
    or (
      select
        coalesce(
          max(o.link_count) > 1
            and count(distinct o.url_hash) >= least(max(o.link_count), 3),
          false
        )
      from link_visits o
      where
        o.delivery_id = v.delivery_id
        and o.kind = 'click'
        and o.at between v.at - interval '1000 ms' and v.at + interval '1000 ms'
    ) as is_machine
from
  link_visits v
  left join deliveries d on d.id = v.delivery_id
where
  v.decided_at is null
  and v.at <= now() - interval '2000 ms'
order by v.at
limit $1
