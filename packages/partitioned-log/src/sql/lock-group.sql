select generation from log_groups where grp = $1 for no key update
