update phone_renewals
set after_user_id = $2
where application_id = $1
