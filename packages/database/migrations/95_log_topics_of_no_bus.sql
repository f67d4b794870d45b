set local lock_timeout = '5s';

-- Whether the bus carries the topic: its records move with the bus, and it takes none while that is Kafka. Other topics
-- are in Postgres always, and stay open.
alter table log_topics add column is_bus boolean not null default true;
