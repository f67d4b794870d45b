update log_heads set block_table = $1
