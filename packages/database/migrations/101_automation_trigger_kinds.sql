set local lock_timeout = '5s';

-- Of what enters people without an event: the key of its trigger, and its instant. `request_id` is a hash of both and of
-- the person: each instant is decided once.
alter table automation_triggers add column kind text, add column occurred_at timestamptz;
