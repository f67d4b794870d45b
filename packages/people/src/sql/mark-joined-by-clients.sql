update user_identities
set by_client_key = true
where user_id = any($1)
