-- name: correct-future-times
with ahead as (
  select k.campaign_id, k.chunk_no
  from campaign_chunks k
  where -- include: postgres/written-ahead(k.written_at)
    and (k.due_at is not null or k.leased_until is not null or k.unresolved_at is not null)
  -- This order makes Postgres use the index, even if it estimates a third of all rows to be
  -- ahead.
  order by k.written_at
  limit $1
  for update skip locked
),
rescheduled as (
  update campaign_chunks k
  set due_at = case when k.due_at is not null then now() end,
    leased_until = case when k.leased_until is not null then now() end,
    unresolved_at = case when k.unresolved_at is not null then now() end, written_at = now()
  from ahead a
  where k.campaign_id = a.campaign_id and k.chunk_no = a.chunk_no
  returning k.campaign_id, k.chunk_no
)
select count(*)::int as campaign_chunks,
  coalesce(
    sum(
      (
        select count(*)
        from deliveries d
        where d.campaign_id = k.campaign_id
          and d.chunk_no = k.chunk_no
          and d.state in -- include: pending-states
          and -- include: postgres/written-ahead(d.updated_at)
      )
    ),
    0
  )::int as deliveries,
  coalesce(
    sum(
      (
        select count(*)
        from delivery_addresses d
        where d.campaign_id = k.campaign_id
          and d.chunk_no = k.chunk_no
          and d.state in -- include: pending-states
          and -- include: postgres/written-ahead(d.updated_at)
      )
    ),
    0
  )::int as delivery_addresses
from rescheduled k
