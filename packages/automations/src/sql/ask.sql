-- name: read-outcomes
-- When the message that a node sent in a run became what is awaited: of a person, not of a machine.
-- $1 runs, $2 node, $3 what it became
select t.run_id, floor(extract(epoch from min(d.at)) * 1000)::float8 as at
from automation_trace t
  cross join lateral (
    select case $3
        when 'sent' then d.sent_at
        when 'delivered' then d.delivered_at
        when 'opened' then d.opened_at
        when 'clicked' then d.clicked_at
        when 'failed' then case when d.state = 'failed' then d.updated_at end
      end as at
    from deliveries d
    where d.id = t.delivery_id
  ) d
where t.run_id = any($1::uuid[]) and t.node = $2 and t.outcome = 'sent' and d.at is not null
group by t.run_id
