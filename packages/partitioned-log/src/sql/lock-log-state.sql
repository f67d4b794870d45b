select block_table from log_state for update
