-- part: first-id(v)
-- Ids of runs are made of the clock of a process.
uuidv7(v.created_at - now() - interval '1 minute')

-- part: of-trial(r, v)
-- Who entered before the split became as it is may have taken a branch of another one.
r.automation_id = v.automation_id
  and r.id >= (select -- include: first-id(v)
  )
  and r.entered_at >= v.created_at
  and r.version >= v.version

-- name: count-drawn
-- Cheap, and at least as many as are compared.
-- $1 automation, $2 the version in which the split became as it is, $3 its node, $4 branches
select c.reason as branch, sum(c.n)::float8 as n
from automation_counters c
where c.automation_id = $1
  and c.version >= $2
  and c.node = $3
  and c.outcome = 'passed'
  and c.reason = any($4::text[])
group by c.reason

-- name: first-entry
-- $1 automation, $2 the version in which the split became as it is
select floor(extract(epoch from r.entered_at) * 1000)::float8 as at,
  r.entered_at + $3::float8 * interval '1 ms' <= now() as is_over
from automation_versions v join automation_runs r on -- include: of-trial(r, v)
where v.automation_id = $1 and v.version = $2
order by r.id
limit 1

-- name: count-branches
-- Of the runs that drew a branch, how many did what is compared.
-- $1 automation, $2 the version in which the split became as it is, $3 its node, $4 branches,
-- $5 what is compared, $6 sends of the branches
select t.reason as branch, count(*)::float8 as n,
  (
    count(*) filter (
      where case $5::text
          when 'goal' then r.goal_at is not null
          else exists (
            select
            from automation_trace s join deliveries d on d.id = s.delivery_id
            where s.run_id = r.id
              and s.node = any($6::text[])
              and s.outcome = 'sent'
              and d.clicked_at is not null
          )
        end
    )
  )::float8 as hits
from automation_versions v
  join automation_runs r on -- include: of-trial(r, v)
  join automation_trace t on t.run_id = r.id
where v.automation_id = $1
  and v.version = $2
  and t.node = $3
  and t.outcome = 'passed'
  and t.reason = any($4::text[])
group by t.reason
