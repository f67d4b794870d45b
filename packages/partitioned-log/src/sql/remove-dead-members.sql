-- $1 group, $2 the member that asks
delete from log_members where grp = $1 and member <> $2 and until < clock_timestamp()
