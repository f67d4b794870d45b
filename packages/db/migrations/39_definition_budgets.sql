set local lock_timeout = '5s';
alter table definitions
  -- A Client key sent its name first: it counts in the budget of Client keys.
  add column by_client_key boolean not null default false,
  -- The row of a deleted definition stays: its slug is never given to another name.
  add column deleted_at timestamptz;

-- New definitions that Client keys may make: a token bucket for each application. No row: it is full.
create table client_definition_budgets (
  application_id uuid primary key,
  tokens double precision not null,
  refilled_at timestamptz not null
);
