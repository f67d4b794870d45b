-- When something was last sent to the endpoint, to some seconds: tells a service that does not send from an endpoint that does not keep up.
set local lock_timeout = '5s';
alter table webhook_endpoints add column attempted_at timestamptz;
