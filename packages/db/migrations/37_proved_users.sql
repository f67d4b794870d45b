set local lock_timeout = '5s';
-- The person that the device proved to be used by: its messages, pushes and receipts follow this alone. Null until the
-- next proof of devices from before, since nothing recorded how they were identified.
alter table devices add column proved_user_id uuid;
-- Whether the sender is known to speak for the event's user; null of events from before.
alter table events add column is_proved boolean;
