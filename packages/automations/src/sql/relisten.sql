-- name: lock-automations
select pg_advisory_xact_lock(hashtextextended('automations of ' || $1::text, 0))
