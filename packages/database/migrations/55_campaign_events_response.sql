-- What a mail server said of a mail that it accepted, where that does not name the recipient. Other words of providers
-- are in detail, which has an index: they are found when their recipient is deleted. Nearly all entries are of
-- accepted mails, and need none.
set local lock_timeout = '5s';
alter table campaign_events add column response text;
