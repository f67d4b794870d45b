-- A delivery is updated three times on its way. No index may name a column that changes then (nor may its condition):
-- Postgres would write a new entry into every index of the table each time. What has to be found by time is found by
-- its chunk, and what is rare has a table of its own.
alter table campaign_chunks
  -- No later than this the first lease of a send ends whose outcome is not recorded; null where there is none.
  add column leased_until timestamptz,
  -- Since when recipients of it that nobody knew are looked up; null where there are none any more.
  add column unresolved_at timestamptz;
update campaign_chunks k set leased_until = s.ends_at
from (select campaign_id, chunk_no, min(lease_until) as ends_at from deliveries where state = 'sending' group by 1, 2) s
where k.campaign_id = s.campaign_id and k.chunk_no = s.chunk_no;
update campaign_chunks k set unresolved_at = s.began_at
from (select campaign_id, chunk_no, min(created_at) as began_at from deliveries where user_id is null and test_address is null and state = 'pending' group by 1, 2) s
where k.campaign_id = s.campaign_id and k.chunk_no = s.chunk_no;
create index campaign_chunks_leased on campaign_chunks (leased_until) where leased_until is not null;
create index campaign_chunks_unresolved on campaign_chunks (unresolved_at) where unresolved_at is not null;

-- Deliveries whose outcome became unknown, or that wait to be sent again because it is, on channels whose provider is
-- asked about it. Whether it still is so, the delivery says.
create table open_outcomes (
  delivery_id uuid primary key,
  channel text not null,
  -- Null for a test send.
  user_id uuid,
  since timestamptz not null default now()
);
create index open_outcomes_by_age on open_outcomes (since);
create index open_outcomes_by_user on open_outcomes (user_id);
insert into open_outcomes (delivery_id, channel, user_id, since)
select id, channel, user_id, updated_at from deliveries where channel = 'SMS' and state in ('unknown', 'retry_wait') and reason = 'outcome_unknown';

-- The provider's id of a message, on the same channels: what one delivery has is no other's.
alter table deliveries add column lookup_id text;
update deliveries set lookup_id = provider_id where channel = 'SMS' and provider_id is not null;
create index deliveries_by_lookup_id on deliveries (lookup_id) where lookup_id is not null;

drop index deliveries_leased;
drop index deliveries_unresolved;
drop index deliveries_in_doubt;
drop index deliveries_by_provider_id;
