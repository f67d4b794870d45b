select drop_partitions($1, $2) as dropped
