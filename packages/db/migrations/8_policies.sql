-- Marketing messages that were armed under a frequency cap: what a user's next one is counted against. Whether a
-- message counts is asked of its delivery, so nothing has to be taken back here.
create table marketing_sends (
  user_id uuid not null,
  channel text not null,
  delivery_id uuid not null,
  armed_at timestamptz not null default now(),
  primary key (user_id, channel, delivery_id)
);
create index marketing_sends_by_age on marketing_sends (armed_at);

-- What was handed over on a day of the application's time zone, where a daily cap is set: messages, of SMS segments.
create table daily_sends (
  application_id uuid not null,
  channel text not null,
  -- YYYY-MM-DD
  day text not null collate "C",
  units bigint not null,
  primary key (application_id, channel, day)
);
-- A campaign says once a day that it met the cap.
create unique index campaign_events_spend_capped on campaign_events (campaign_id, detail) where type = 'campaign.spend_capped';

-- How often a send whose outcome is unknown was put down to be made again.
alter table deliveries add column doubts integer not null default 0;
-- Open outcomes: those that stay so, and those that are waited for before they are sent again.
create index deliveries_in_doubt on deliveries (channel, updated_at) where state in ('unknown', 'retry_wait') and reason = 'outcome_unknown';
drop index deliveries_unknown;
