select pg_advisory_xact_lock(hashtextextended('templates of ' || $1::text, 0))
