update deliveries
set counted_on = $2
where id = any($1)
