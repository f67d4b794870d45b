-- part: further-account(a, s)
-- An account after the first one. Settings that the version before wrote have none.
a.application_id = s.application_id
and a.channel = s.channel
and a.version = s.version

-- part: is-ready(s)
-- One of its accounts has been tested.
(
  s.status = 'ready'
  or exists (
    select
    from channel_accounts k
    where -- include: further-account(k, s)
      and k.status = 'ready'
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
