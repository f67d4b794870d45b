-- The next of each application. Those with a local time are not known to the version before.
(
  select distinct on (application_id)
    id
  from campaigns
  where
    lane = 'bulk'
    and status in ('queued', 'sending')
    and expanded_at is null
    and id <> all($1::uuid[])
  order by
    application_id,
    id
)
union all
(
  select distinct on (application_id)
    id
  from campaigns
  where
    lane = 'local'
    and status in ('queued', 'sending')
    and expanded_at is null
    and id <> all($1::uuid[])
  order by
    application_id,
    id
)
