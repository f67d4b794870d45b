-- name: read-bus-state
select bus, accepting as "isAccepting" from log_state

-- name: choose-bus
update log_state set bus = coalesce(bus, $1) returning bus

-- name: lock-log-state
select block_table from log_state for update

-- name: lock-heads
select topic_id from log_heads order by topic_id, part for no key update

-- name: close-heads
-- $1 whether they take records
update log_heads
set closed = not $1

-- name: put-accepting
update log_state set accepting = $1, closed = not $1

-- name: skip-unread
update log_leases l
set committed = h.next
from log_heads h
where h.topic_id = l.topic_id and h.part = l.part

-- name: put-bus
-- $1 bus
update log_state
set bus = $1, accepting = true, closed = $1 <> 'postgres'
