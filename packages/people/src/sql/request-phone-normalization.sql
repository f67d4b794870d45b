insert into phone_renewals (application_id, after_user_id)
values ($1, $2)
on conflict (application_id) do update
set after_user_id = excluded.after_user_id
