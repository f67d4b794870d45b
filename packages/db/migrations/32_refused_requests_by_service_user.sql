-- postgres-migrations disable-transaction
create index concurrently if not exists refused_requests_by_service_user on refused_requests (application_id, service_user_id, received_at desc, request_id desc) where service_user_id is not null;
