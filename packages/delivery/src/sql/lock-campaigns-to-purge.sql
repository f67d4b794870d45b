-- Nothing of these campaigns will be sent or was sent lately. They were accepted or began, and were
-- last retried, more than $1 days ago: filtered by the id, which contains the time, so the index
-- scan stops early.
select
  c.id,
  c.recipients_unique as "recipientsUnique",
  c.p50_ms is null as "isUntimed"
from campaigns c
where
  c.has_recipient_rows
  and c.recipients_forgotten_at is null
  and c.status in ('completed', 'canceled', 'failed')
  and c.expires_at < now()
  and c.id < (
    select uuidv7(- $1::float8 * interval '1 day')
  )
  and coalesce(c.retried_at, greatest(c.created_at, c.send_at))
    < now() - $1::float8 * interval '1 day'
order by c.id
limit $2
for no key update skip locked
