-- postgres-migrations disable-transaction
create index concurrently if not exists devices_by_proved_user on devices (proved_user_id) where proved_user_id is not null;
