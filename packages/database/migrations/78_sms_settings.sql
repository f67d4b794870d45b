-- No transaction
-- A message from a phone names the account at the provider, by settings that differ between providers.
create index concurrently if not exists channel_settings_of_sms on channel_settings using gin (settings jsonb_path_ops)
where channel = 'SMS';
