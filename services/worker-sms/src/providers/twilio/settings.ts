import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const twilioConfig = {
  twilioTimeoutMs: integer(
    'TWILIO_TIMEOUT_MS',
    'Twilio’s answer to a message may take this long.',
    { default: 10_000, min: 100 },
  ),
  pollAfterMs: integer(
    'POLL_AFTER_MS',
    'An SMS whose outcome is unknown is looked up at Twilio after this time, when no callback came.',
    {
      default: 60_000,
      min: 100,
    },
  ),
  pollIntervalMs: integer('POLL_INTERVAL_MS', 'Time between two look-ups of one SMS.', {
    default: 60_000,
    min: 100,
  }),
  pollUntilMs: integer('POLL_UNTIL_MS', 'What Twilio does not know of by then stays unknown.', {
    default: 900_000,
    min: 100,
  }),
} as const satisfies ConfigSpec;
export type TwilioConfig = ConfigOf<typeof twilioConfig>;
