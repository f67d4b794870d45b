-- part: channel-sends(s, a)
-- Of channel_settings, joined from the left, and applications: without a row of settings the
-- channel is not configured.
(
  s.channel is not null
  and (s.status = 'ready' or coalesce((a.settings ->> 'sendUntested')::boolean, false))
)
