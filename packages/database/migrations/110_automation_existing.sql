set local lock_timeout = '5s';

-- Automations that are still to take who were members of their segment at the activation, by shard of people.
create table automation_existing (
  automation_id uuid not null,
  shard smallint not null,
  application_id uuid not null,
  at timestamptz not null,
  -- The last who was taken.
  after_user uuid,
  primary key (automation_id, shard)
);
