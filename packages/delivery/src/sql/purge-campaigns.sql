-- Accepted or begun, and last retried, more than $1 days ago: filtered by the id, which contains
-- the time, so the index scan stops early.
with
  due as (
    select c.id
    from campaigns c
    where
      not c.has_recipient_rows
      and c.id < (
        select uuidv7(- $1::float8 * interval '1 day')
      )
      and coalesce(c.retried_at, greatest(c.created_at, c.send_at))
        < now() - $1::float8 * interval '1 day'
    order by c.id
    limit $2
    for update skip locked
  ),
  counter as (
    delete from campaign_counters k
    using due
    where k.campaign_id = due.id
  ),
  tally as (
    delete from campaign_tallies t
    using due
    where t.campaign_id = due.id
  ),
  filling as (
    delete from delivery_data x
    using due
    where x.campaign_id = due.id
  ),
  late_event as (
    delete from campaign_events e
    using due
    where e.campaign_id = due.id
  ),
  campaign as (
    delete from campaigns c
    using due
    where c.id = due.id
    returning 1
  )
select count(*)::int as gone
from campaign
