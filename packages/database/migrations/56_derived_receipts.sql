-- Bridges events: services/events-consumer/src/derived-receipts.integration.test.ts
set local lock_timeout = '5s';

-- The receipt of an event without one, or with a pending one, is derived from the event. When the event goes before
-- its request, the trigger writes the receipt, so that the log still has it. It names no user: most such events go
-- because their user is deleted. It also does this for the version before, which does not know derived receipts.
create function leave_receipts() returns trigger language plpgsql as $$
begin
  insert into receipts as r (request_id, message_index, application_id, message_id, type, outcome, received_at)
  select g.request_id, g.message_index, g.application_id, g.message_id, g.type, 'stored', g.received_at
  from gone g
  where exists (
      select from ingest_requests q where q.request_id = g.request_id and q.received_at = g.received_at offset 0)
    and not exists (
      select from receipts p
      where p.request_id = g.request_id and p.message_index = g.message_index and p.received_at = g.received_at
        and p.outcome <> 'pending'
      offset 0)
  on conflict (request_id, message_index, received_at) do update set outcome = 'stored' where r.outcome = 'pending';
  return null;
end $$;

create trigger leave_receipts after delete on events referencing old table as gone
  for each statement execute function leave_receipts();
