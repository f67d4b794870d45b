delete from log_members where grp = $1 and member = $2
