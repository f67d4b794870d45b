-- part: written-ahead(at)
-- The time was written while the clock of Postgres was ahead, and the clock was corrected since:
-- the difference is more than concurrent transactions can have. `now()` cannot be used: a long
-- transaction sees rows written after it began.
at > statement_timestamp() + interval '60 s'
