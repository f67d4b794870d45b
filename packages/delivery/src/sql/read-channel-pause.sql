select
  reason,
  provider_code,
  provider_message,
  paused_at
from channel_pauses
where
  application_id = $1
  and channel = $2
  and version = $3
