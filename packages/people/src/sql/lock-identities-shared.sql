select pg_advisory_xact_lock_shared(hashtextextended(id, $2))
from unnest($1::text[]) as id
