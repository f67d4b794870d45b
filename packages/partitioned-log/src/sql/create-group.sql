insert into log_groups (grp) values ($1) on conflict (grp) do nothing
