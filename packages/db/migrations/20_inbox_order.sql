-- What waits for a user is given out in the order in which it was offered: a campaign that was paused, or held until the
-- morning, comes after what was offered meanwhile.
alter table inbox add column offered_no bigint generated always as identity;
drop index inbox_by_user;
create index inbox_by_user on inbox (user_id, offered_no);
