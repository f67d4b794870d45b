-- name: lock-subscribed-delivery
select 1 from deliveries where id = $1 and unsubscribed_at is null for update
