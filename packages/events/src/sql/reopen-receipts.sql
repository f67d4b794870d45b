update receipts
set
  outcome = 'pending',
  reason = null
where
  request_id = $1
  and received_at = to_timestamp($2::float8 / 1000.0)
  and type = any($3)
  and outcome = 'dropped'
  and reason = 'dead_letter'
