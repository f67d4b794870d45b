-- What a user was sent. The user of a delivery changes only where he was unknown at first, and when he is deleted.
create index deliveries_by_user on deliveries (user_id, id) where user_id is not null;
