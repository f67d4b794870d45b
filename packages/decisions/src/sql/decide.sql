-- name: insert-decision
insert into decisions (application_id, subject_id, choice, certainty, figures)
values ($1, $2, $3, $4, $5)
on conflict do nothing
returning true as is_new

-- name: choose-by-hand
-- A choice that was made stays.
insert into decisions as x (application_id, subject_id, choice, is_manual)
values ($1, $2, $3, true)
on conflict (subject_id, version, node) do update
set choice = excluded.choice, is_manual = true, decided_at = now()
where x.choice is null
returning true as is_new

-- name: purge-decisions
delete from decisions x
where x.node = '' and not exists (select from campaigns c where c.id = x.subject_id)
