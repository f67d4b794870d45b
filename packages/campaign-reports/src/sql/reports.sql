-- name: read-messages
select id,
  case when templates is null then message else templates -> 0 -> 'message' end::text as message,
  (
    select jsonb_agg(t - '{message,variants}'::text[]) from jsonb_array_elements(templates) t
  ) as templates
from campaigns
where id = any($1)

-- name: read-counters
select campaign_id, state, reason, sum(n)::float8 as n,
  nullif(min(first_at), 'infinity') as first_at, nullif(max(last_at), '-infinity') as last_at
from campaign_counters
where campaign_id = any($1)
group by 1, 2, 3
union all
select campaign_id, kind, class, sum(n)::float8, null, null
from campaign_tallies
where campaign_id = any($1)
group by 1, 2, 3

-- name: read-local-time-passed
select k.campaign_id as id, coalesce(sum(k.local_time_passed), 0)::int as passed
from campaign_chunks k
where k.campaign_id = any($1)
group by 1

-- part: ms-of(instant)
floor(extract(epoch from instant) * 1000)::bigint

-- name: read-winners
select c.id,
  c.winner - 'afterMs'
    || jsonb_build_object(
      'decideAt',
      -- include: ms-of(c.started_at)
      + (c.winner ->> 'afterMs')::bigint,
      'waiting',
      (
        select coalesce(sum(jsonb_array_length(k.recipients)), 0)
        from campaign_chunks k
        where k.campaign_id = c.id and k.expanded_at is not null and k.recipients is not null
      ),
      'decision',
      case
        when x.subject_id is not null
          then jsonb_build_object(
            'choice',
            x.choice,
            'certainty',
            x.certainty,
            'isManual',
            x.is_manual,
            'decidedAt',
            -- include: ms-of(x.decided_at)
          )
      end
    ) as winner
from campaigns c left join decisions x on x.subject_id = c.id and x.version = 0
where c.id = any($1)
