import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const twilioConfig = {
  twilioTimeoutMs: integer('TWILIO_TIMEOUT_MS', 'Timeout of requests to Twilio.', {
    default: 10_000,
    min: 100,
  }),
  pollAfterMs: integer(
    'POLL_AFTER_MS',
    'Delay until Twilio is polled for an SMS with an unknown outcome and no callback.',
    {
      default: 60_000,
      min: 100,
    },
  ),
  pollIntervalMs: integer('POLL_INTERVAL_MS', 'Interval between two polls for one SMS.', {
    default: 60_000,
    min: 100,
  }),
  pollUntilMs: integer(
    'POLL_UNTIL_MS',
    'Polling for an SMS stops after this time; its outcome stays unknown.',
    {
      default: 900_000,
      min: 100,
    },
  ),
} as const satisfies ConfigSpec;
export type TwilioConfig = ConfigOf<typeof twilioConfig>;
