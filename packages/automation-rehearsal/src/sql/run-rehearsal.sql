-- name: take-rehearsal
-- The oldest that no process has: one whose process ended is taken again once its lease is over.
-- $1 milliseconds of the lease
update rehearsals r
set lease_until = now() + $1 * interval '1 ms', attempts = r.attempts + 1
where r.id = (
  select o.id
  from rehearsals o
  where o.status = 'running' and (o.lease_until is null or o.lease_until < now())
  order by o.created_at
  limit 1
  for update skip locked
)
returning r.id, r.application_id, r.definition, r.attempts,
  -- include: ms(r.from_at) as from_at,
  -- include: ms(r.to_at) as to_at

-- name: keep-rehearsal
-- $1 rehearsal, $2 its attempt, $3 milliseconds of the lease, $4 the result so far
update rehearsals r
set lease_until = now() + $3 * interval '1 ms', result = $4::jsonb
where r.id = $1 and r.attempts = $2 and r.status = 'running'

-- name: release-rehearsal
-- It has not failed: its process stops. $1 rehearsal, $2 its attempt
update rehearsals r
set lease_until = null, attempts = r.attempts - 1, result = null
where r.id = $1 and r.attempts = $2 and r.status = 'running'

-- name: end-rehearsal
-- $1 rehearsal, $2 its attempt, $3 status, $4 error, $5 result; null: as it was
update rehearsals r
set status = $3, error = $4, result = coalesce($5::jsonb, r.result), lease_until = null,
  ended_at = now()
where r.id = $1 and r.attempts = $2 and r.status = 'running'
returning r.application_id

-- name: insert-traces
-- Not of those who were deleted meanwhile, and no one is deleted until they are stored.
-- $1 rehearsal, $2 application, $3 people, $4 runs
insert into rehearsal_traces (rehearsal_id, no, application_id, user_id, run)
select $1, x.no, $2, u.id, x.run
from unnest($3::uuid[], $4::jsonb[]) with ordinality as x(user_id, run, no)
  join users u on u.id = x.user_id
for key share of u
