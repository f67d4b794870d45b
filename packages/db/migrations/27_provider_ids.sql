-- The provider's ids of messages on the channels whose provider is asked about unknown outcomes: a message whose id is here
-- is that of a delivery that knows its outcome. They have a table of their own, since a column of deliveries with an index
-- would cost an entry in every index of theirs when it is set (11_delivery_updates).
create table provider_ids (
  provider_id text primary key,
  known_at timestamptz not null default now()
);
-- They come in the order of their time.
create index provider_ids_by_time on provider_ids using brin (known_at);
insert into provider_ids (provider_id, known_at)
select lookup_id, min(coalesce(sent_at, updated_at)) from deliveries where lookup_id is not null group by lookup_id;
drop index deliveries_by_lookup_id;
-- The column stays until no version writes it any more: pods of the one before still do while this is applied.
