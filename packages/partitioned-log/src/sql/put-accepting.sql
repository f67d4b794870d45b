update log_state
set
  accepting = $1,
  closed = not $1
