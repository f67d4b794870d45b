-- What a next version may do while this one runs: add, and change nothing that is there.
alter table campaigns add column cluster_test integer;
create table cluster_test (id uuid primary key default uuidv7(), noted_at timestamptz not null default now());
