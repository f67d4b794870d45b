insert into suppressions (application_id, channel, address, reason)
values ($1, $2, $3, $4)
on conflict (application_id, channel, address, reason) do nothing
