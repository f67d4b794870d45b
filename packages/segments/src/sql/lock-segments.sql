select pg_advisory_xact_lock(hashtextextended('segments of ' || $1::text, 0))
