-- name: shorter-event-retentions
select id, days
from (
  select id,
    case
      when jsonb_typeof(settings -> 'eventRetentionDays') = 'number' then (
        settings ->> 'eventRetentionDays'
      )::float8
    end as days
  from applications
) a
where days > 0 and days < coalesce(nullif($1::float8, 0), 'infinity')
order by id
