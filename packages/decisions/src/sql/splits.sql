-- name: read-split-decisions
select x.version, x.node, x.choice, x.certainty, x.figures,
  floor(extract(epoch from x.decided_at) * 1000)::float8 as decided_at
from decisions x
where x.subject_id = $1 and x.node <> ''

-- name: insert-split-decision
-- $1 application, $2 automation, $3 version, $4 node, $5 place, $6 certainty, $7 figures
insert into decisions (application_id, subject_id, version, node, choice, certainty, figures)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict do nothing
