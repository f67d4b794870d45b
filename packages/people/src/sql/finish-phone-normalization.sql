delete from phone_renewals
where application_id = $1
