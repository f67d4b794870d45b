select id
from campaigns
where
  status in ('queued', 'sending', 'paused')
  and expires_at <= now()
