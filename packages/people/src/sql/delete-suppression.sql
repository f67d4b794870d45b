delete from suppressions
where
  application_id = $1
  and channel = $2
  and address = $3
  and reason = $4
