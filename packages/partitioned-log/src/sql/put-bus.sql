-- $1 bus
update log_state
set
  bus = $1,
  accepting = true,
  closed = $1 <> 'postgres'
