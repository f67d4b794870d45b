-- $1 whether they take records
update log_heads set closed = not $1
