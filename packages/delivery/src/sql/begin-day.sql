insert into daily_sends (application_id, channel, day, units)
values ($1, $2, $3, 0)
on conflict do nothing
