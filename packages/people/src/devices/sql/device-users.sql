-- name: lock-device
select pg_advisory_xact_lock(hashtextextended($1, $2))

-- name: read-identity-user
select user_id from user_identities where application_id = $1 and service_user_id = $2
