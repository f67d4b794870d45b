-- part: is-ready(s)
-- One of its accounts has been tested.
(
  s.status = 'ready'
  or exists (
    select
    from channel_accounts k
    where k.application_id = s.application_id and k.channel = s.channel and k.status = 'ready'
  )
)

-- part: channel-sends(s, a)
-- Of channel_settings, joined from the left, and applications: without a row of settings the
-- channel is not configured.
(
  s.channel is not null
  and (
    -- include: is-ready(s)
    or coalesce((a.settings ->> 'sendUntested')::boolean, false)
  )
)
