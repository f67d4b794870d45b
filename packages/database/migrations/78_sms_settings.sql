-- A message from a phone names the provider's account, not the application: the settings that have these values are
-- found by it, whichever fields they are.
-- No transaction
create index concurrently if not exists channel_settings_of_sms on channel_settings using gin (settings jsonb_path_ops)
where channel = 'SMS';
