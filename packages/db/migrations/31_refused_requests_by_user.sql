-- postgres-migrations disable-transaction
create index concurrently if not exists refused_requests_by_user on refused_requests (application_id, custom_user_id, received_at desc, request_id desc) where custom_user_id is not null;
