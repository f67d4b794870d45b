select pg_cancel_backend($1::int)
