delete from link_visits
where delivery_id = any($1::uuid[])
