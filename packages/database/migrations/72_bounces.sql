-- What the refusal of a mail server meant, as {"class","evidence"}: of a delivery, and of an entry of its log.
set local lock_timeout = '5s';
alter table deliveries add column bounce jsonb;
alter table campaign_events add column bounce jsonb;

-- What is counted of a campaign beside its states: failed mails by the class of their bounce, and opens and clicks of
-- machines. It has a table of its own, because the version before takes each row of campaign_counters with a state that
-- it does not know for recipients. Deliveries of before are not counted, so nothing recounts it.
create table campaign_tallies (
  campaign_id uuid not null,
  kind text not null check (kind in ('bounced', 'machine_opened', 'machine_clicked')),
  -- Of a bounce; empty for other kinds.
  class text not null,
  shard smallint not null,
  n bigint not null,
  primary key (campaign_id, kind, class, shard)
);
