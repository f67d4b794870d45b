-- name: read-bus-state
select bus, accepting as "isAccepting" from log_state

-- name: choose-bus
update log_state set bus = coalesce(bus, $1) returning bus

-- name: lock-log-state
select block_table from log_state for update

-- name: lock-heads
select topic_id from log_heads order by topic_id, part for no key update

-- name: close-heads
-- $1 whether topics of the bus take records
update log_heads h
set closed = not $1
from log_topics t
where t.id = h.topic_id and t.is_bus

-- name: put-accepting
update log_state set accepting = $1, closed = not $1

-- name: skip-unread
update log_leases l
set committed = h.next
from log_heads h join log_topics t on t.id = h.topic_id
where h.topic_id = l.topic_id and h.part = l.part and t.is_bus

-- name: put-bus
-- $1 bus
update log_state
set bus = $1, accepting = true, closed = $1 <> 'postgres'
