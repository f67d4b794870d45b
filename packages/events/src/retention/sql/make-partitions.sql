select make_partitions($1, $2::interval, $3, coalesce($4, now())) as made
