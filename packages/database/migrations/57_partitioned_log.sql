set local lock_timeout = '5s';

-- A log of records in partitions, for installations without Kafka: packages/partitioned-log.
create table log_topics (
  id integer generated always as identity primary key,
  topic text not null unique,
  partitions integer not null,
  retention_ms bigint not null,
  record_bytes_max integer not null
);

-- One row. Blocks are in three tables, which take turns: one is written to, and the oldest is emptied as a whole.
-- bus: what carries the records of this installation; null until the first prepare step of a new one. accepting: false
-- while records move to the other bus.
create table log_state (
  is_only boolean primary key default true check (is_only),
  bus text check (bus in ('kafka', 'postgres')),
  accepting boolean not null default true,
  block_table smallint not null default 0,
  closed boolean not null default false,
  rotated_at timestamptz not null default now()
);
-- A database with applications was used by a version that had Kafka alone: its records are there.
insert into log_state (bus) values (case when exists (select from applications) then 'kafka' end);

-- A partition. Each append updates its row, so pages have room for versions.
create table log_heads (
  topic_id integer not null references log_topics (id),
  part integer not null,
  next bigint not null default 0,
  low bigint not null default 0,
  block_table smallint not null,
  closed boolean not null,
  primary key (topic_id, part)
) with (fillfactor = 20);

-- Never vacuumed: they are emptied long before their transactions are old, and a vacuum would write each page again.
create table log_blocks_0 (
  topic_id integer not null,
  part integer not null,
  last bigint not null,
  n integer not null,
  bytes integer not null,
  at timestamptz not null,
  body bytea not null,
  primary key (topic_id, part, last)
) with (autovacuum_enabled = false, toast.autovacuum_enabled = false);
alter table log_blocks_0 alter column body set storage external;
create table log_blocks_1 (like log_blocks_0 including all) with (autovacuum_enabled = false, toast.autovacuum_enabled = false);
create table log_blocks_2 (like log_blocks_0 including all) with (autovacuum_enabled = false, toast.autovacuum_enabled = false);

create table log_groups (
  grp text primary key,
  generation bigint not null default 0,
  changed_at timestamptz not null default now()
);

create table log_members (
  grp text not null references log_groups (grp),
  member uuid not null,
  topic_ids integer[] not null,
  until timestamptz not null,
  primary key (grp, member)
) with (fillfactor = 50);

create table log_leases (
  grp text not null references log_groups (grp),
  topic_id integer not null,
  part integer not null,
  owner uuid,
  fence bigint not null default 0,
  committed bigint,
  primary key (grp, topic_id, part)
) with (fillfactor = 20);
