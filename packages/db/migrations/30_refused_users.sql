-- Of whom a refused request was, where its envelope says so: the customUserId or, without one, the serviceUserId.
alter table refused_requests
  add column custom_user_id text collate "C",
  add column service_user_id uuid;
create index refused_requests_by_user on refused_requests (application_id, custom_user_id, received_at desc, request_id desc) where custom_user_id is not null;
create index refused_requests_by_service_user on refused_requests (application_id, service_user_id, received_at desc, request_id desc) where service_user_id is not null;
