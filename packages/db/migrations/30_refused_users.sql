-- Of whom a refused request was, where its envelope says so: the customUserId or, without one, the serviceUserId.
set local lock_timeout = '5s';
alter table refused_requests
  add column custom_user_id text collate "C",
  add column service_user_id uuid;
