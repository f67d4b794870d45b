delete from channel_breakers
where
  application_id = $1
  and channel = $2
  and receiver = $3
  and owner = $4
