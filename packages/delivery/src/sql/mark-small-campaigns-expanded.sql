update campaigns
set expanded_at = now()
where id = any($1)
