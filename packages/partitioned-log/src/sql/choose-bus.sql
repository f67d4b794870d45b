update log_state set bus = coalesce(bus, $1) returning bus
