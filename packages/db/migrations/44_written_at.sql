-- When the times of a row were written, by the clock of Postgres: what was written while that clock was ahead does not wait for it.
set local lock_timeout = '5s';
-- Written with due_at, leased_until and unresolved_at.
alter table campaign_chunks add column written_at timestamptz;
-- Written with next_at and lease_until.
alter table webhook_deliveries add column written_at timestamptz default now();
