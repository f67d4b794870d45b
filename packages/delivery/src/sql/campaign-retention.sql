-- part: is-old(c)
c.id < (select uuidv7(- $1::float8 * interval '1 day'))
and coalesce(c.retried_at, greatest(c.created_at, c.send_at))
  < now() - $1::float8 * interval '1 day'

-- name: lock-campaigns-to-purge
-- Nothing of these campaigns will be sent or was sent lately. They were accepted or began, and were
-- last retried, more than $1 days ago: filtered by the id, which contains the time, so the index
-- scan stops early.
select c.id, c.recipients_unique as "recipientsUnique", c.p50_ms is null as "isUntimed"
from campaigns c
where c.has_recipient_rows
  and c.recipients_forgotten_at is null
  and c.status in ('completed', 'canceled', 'failed')
  and c.expires_at < now()
  and -- include: is-old(c)
order by c.id
limit $2
for no key update skip locked

-- name: mark-recipients-deleted
update campaigns c
set recipients_forgotten_at = now(), p50_ms = coalesce(c.p50_ms, t."p50Ms"),
  p95_ms = coalesce(c.p95_ms, t."p95Ms")
from jsonb_to_recordset($1::jsonb) as t (id uuid, "p50Ms" bigint, "p95Ms" bigint)
where c.id = t.id

-- name: lock-campaigns-with-rows
select id, recipients_unique as recipients
from campaigns
where has_recipient_rows and recipients_forgotten_at is not null
order by id
limit $1
for no key update skip locked

-- name: mark-rows-deleted
update campaigns set has_recipient_rows = false where id = any($1)

-- name: delete-chunks
with chunk as (
  delete from campaign_chunks
  where (campaign_id, chunk_no) in (
      select campaign_id, chunk_no
      from campaign_chunks
      where campaign_id = any($1)
      order by campaign_id, chunk_no
      limit $2
      for update
    )
  returning campaign_id, chunk_no
),
address as (
  delete from delivery_addresses a using chunk
  where a.campaign_id = chunk.campaign_id and a.chunk_no = chunk.chunk_no
  returning 1
),
delivery as (
  delete from deliveries d using chunk
  where d.campaign_id = chunk.campaign_id and d.chunk_no = chunk.chunk_no
  returning d.id, d.campaign_id
),
filling as (
  delete from delivery_data x using delivery
  where x.campaign_id = delivery.campaign_id and x.delivery_id = delivery.id
  returning 1
),
context as (
  delete from delivery_contexts x using delivery
  where x.campaign_id = delivery.campaign_id and x.delivery_id = delivery.id
  returning 1
),
outcome as (
  delete from open_outcomes o using delivery where o.delivery_id = delivery.id returning 1
)
select (select count(*)::int from chunk) as chunks, array(select id from delivery) as delivery_ids,
  (
    (select count(*) from delivery) + (select count(*) from address) + (
      select count(*) from outcome
    ) + (select count(*) from filling) + (select count(*) from context)
  )::int as rows

-- name: delete-events
delete from campaign_events
where seq = any(
    array(
      select seq from campaign_events where campaign_id = any($1) order by campaign_id, seq limit $2
    )
  )

-- name: purge-campaigns
-- Accepted or begun, and last retried, more than $1 days ago: filtered by the id, which contains
-- the time, so the index scan stops early.
with due as (
  select c.id
  from campaigns c
  where not c.has_recipient_rows
    and -- include: is-old(c)
  order by c.id
  limit $2
  for update skip locked
),
counter as (
  delete from campaign_counters k using due where k.campaign_id = due.id
),
tally as (
  delete from campaign_tallies t using due where t.campaign_id = due.id
),
by_account as (
  delete from campaign_account_counters k using due where k.campaign_id = due.id
),
filling as (
  delete from delivery_data x using due where x.campaign_id = due.id
),
context as (
  delete from delivery_contexts x using due where x.campaign_id = due.id
),
last_of_node as (
  delete from automation_sends s using due where s.campaign_id = due.id
),
late_event as (
  delete from campaign_events e using due where e.campaign_id = due.id
),
campaign as (delete from campaigns c using due where c.id = due.id returning 1)
select (select count(*)::int from campaign) as gone,
  (
    select coalesce(jsonb_agg(to_jsonb(counted)), '[]')
    from (
      select c.automation_id, c.automation_version as version, c.node, k.state,
        (c.created_at at time zone 'UTC')::date as day, c.application_id, sum(k.n) as n
      from due
        join campaigns c on c.id = due.id
        join campaign_counters k on k.campaign_id = c.id
      where c.automation_id is not null
      group by 1, 2, 3, 4, 5, 6
    ) counted
  ) as sent
