-- name: find-delivery
select d.id, d.campaign_id, d.channel, d.state, d.created_at, d.custom_user_id
from deliveries d
where d.application_id = $1 and d.id = $2

-- name: find-request
-- With lenient handling it may be both.
select request_id, received_at, message_count, null as code
from ingest_requests
where application_id = $1 and request_id = $2
union all
select request_id, received_at, null, code
from refused_requests
where application_id = $1 and request_id = $2
limit 1

-- name: find-dead-letter
select id, consumer, error_class, status, created_at
from dead_letters
where application_id = $1 and id = $2
