update campaigns
set has_recipient_rows = false
where id = any($1)
