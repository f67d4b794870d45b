-- $1 bus, $2 ends of Kafka's partitions when it was left
update log_state
set
  bus = $1,
  accepting = true,
  closed = $1 <> 'postgres',
  kafka_ends = $2
