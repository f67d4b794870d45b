-- Rights of the services that face the internet, gateway and client-api. Their role is
-- `tidings_public` or a member of it. The prepare step applies this file after the migrations, in
-- one transaction, to a role without rights. Tables that are not named here are inaccessible to
-- them.

grant select on migrations to tidings_public;

-- Keys and settings: read, and update the last use of a key.
grant select on applications, api_keys, channel_settings, channel_accounts, user_token_secrets
  to tidings_public;
grant update (last_used_at) on api_keys to tidings_public;
grant insert on refused_requests to tidings_public;

-- POST /push
grant select, insert on idempotency_keys to tidings_public;
grant select, insert on campaigns to tidings_public;
grant insert on campaign_chunks to tidings_public;
grant select on templates, template_versions to tidings_public;

-- POST /push to a segment checks that the segment exists, or that its condition is valid: what other
-- segments ask, and which definitions and funnels there are. It asks no condition: events stay inaccessible.
grant select (application_id, slug, condition, archived_at) on segments to tidings_public;
grant select (application_id, slug, definition, archived_at) on funnels to tidings_public;
grant select (application_id, slug, kind, name, discarded, merged_into, deleted_at)
  on definitions to tidings_public;

-- Devices and their users.
grant select, insert, update on users, user_identities to tidings_public;
grant select, insert, update, delete on devices, suppressions to tidings_public;
grant select on deleted_identities to tidings_public;

-- Updates of deliveries.
grant select, update on deliveries to tidings_public;
grant select, insert, update
  on campaign_counters, campaign_tallies, campaign_account_counters, open_outcomes
  to tidings_public;
grant select, insert on provider_ids to tidings_public;
grant select, insert on campaign_events to tidings_public;
grant select, update, delete on inbox to tidings_public;
grant usage on sequence inbox_lease_no to tidings_public;
grant select, insert, update, delete on link_visits to tidings_public;

-- Each change queues its own webhooks. These services cannot read the addresses or secrets of
-- webhooks.
grant select (id, application_id, status, kinds, channels) on webhook_endpoints to tidings_public;
grant insert on webhook_deliveries to tidings_public;
grant select (campaign_id, delivery_id, run_id) on delivery_contexts to tidings_public;

-- POST / and POST /push append to the log that replaces Kafka. With either bus the log takes changes of
-- users that automations wait for.
grant select on log_topics, log_state to tidings_public;
grant select, update on log_heads to tidings_public;
grant insert on log_blocks_0, log_blocks_1, log_blocks_2 to tidings_public;
grant select on automation_listens to tidings_public;
