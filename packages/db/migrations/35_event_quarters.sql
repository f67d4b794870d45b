-- Events and revenue by the quarter hour in which they happened, so that hours and days of every time zone add up, those of :30 and
-- :45 too. Counted by the statement that stores the events, whichever version runs it.
set local lock_timeout = '5s';

create table event_quarters (
  application_id uuid not null,
  slug text not null collate "C",
  -- 'infinity': of events that no chart has a place for, see event_quarter. '-infinity': of what is past the retention of charts.
  quarter timestamptz not null,
  -- Of revenue: its currency; else empty.
  currency text not null,
  -- The connection that counted. 0: folded. -1: by the hour of arrival, of events that were deleted before they could be counted by time.
  backend integer not null,
  events bigint not null,
  revenue numeric not null,
  primary key (application_id, slug, quarter, currency, backend)
) with (fillfactor = 50);
create index event_quarters_to_fold on event_quarters (quarter) where backend > 0;
create index event_quarters_by_age on event_quarters (quarter) where backend <= 0;
create index event_quarters_of_revenue on event_quarters (application_id, quarter) where currency <> '';

-- A time may be any integer. One that is more than 400 days before the arrival, or more than a day after it, is a mistake of a clock
-- or a unit: 'infinity', which keeps the quarters of an application to a bounded number. Doubles hold every millisecond that is near.
create function event_quarter("time" bigint, received_at timestamptz) returns timestamptz language sql stable parallel safe
  return case
    when "time"::float8 - round(date_part('epoch', received_at) * 1000) between -400 * 86400000.0::float8 and 86400000
    then to_timestamp("time" / 900000 * 900)
    else 'infinity' end;

-- Rows in the order of the key, so that two batches never wait for each other in a circle.
create function count_events_by_time() returns trigger language plpgsql as $$
begin
  insert into event_quarters as q (application_id, slug, quarter, currency, backend, events, revenue)
  select application_id, slug, event_quarter(time, received_at), coalesce(currency, ''), pg_backend_pid(), count(*), coalesce(sum(revenue::numeric), 0)
  from added group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (application_id, slug, quarter, currency, backend) do update
  set events = q.events + excluded.events, revenue = q.revenue + excluded.revenue;
  return null;
end $$;

-- False of the events that were stored before the trigger, and of no other: both begin with one lock. Those are counted in the background.
alter table events add column is_counted_by_time boolean not null default false;
alter table events alter column is_counted_by_time set default true;
create trigger count_events_by_time after insert on events referencing new table as added
  for each statement execute function count_events_by_time();
