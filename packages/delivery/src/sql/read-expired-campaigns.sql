-- None expires before it begins.
select id
from campaigns
where
  lane <> 'scheduled'
  and status in ('queued', 'sending', 'paused')
  and expires_at <= now()
