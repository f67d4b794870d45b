-- Leases of a membership that was lost: nothing can be committed by them, also after the member has
-- joined again.
-- $1 group, $2 member
update log_leases
set owner = null
where
  grp = $1
  and owner = $2
  and not exists (select from log_members m where m.grp = $1 and m.member = $2)
