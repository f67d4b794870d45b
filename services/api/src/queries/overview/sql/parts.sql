-- part: unreachable-reasons
-- Failures known before sending.
(
  'unknown_user', 'no_address', 'hashed_only', 'invalid_address', 'no_subscription',
  'unsubscribed', 'suppressed_bounce', 'suppressed_complaint', 'sms_stop',
  'channel_not_configured', 'channel_disabled', 'left_segment'
)
