select pg_try_advisory_xact_lock(hashtextextended('snapshot of ' || $1::text, 0)) as is_locked
