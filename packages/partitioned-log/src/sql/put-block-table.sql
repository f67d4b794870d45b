update log_state
set
  block_table = $1,
  rotated_at = clock_timestamp()
