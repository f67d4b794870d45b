delete from channel_breakers
where
  channel = $1
  and owner = $2
