import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const twilioConfig = {
  twilioTimeoutMs: integer('TWILIO_TIMEOUT_MS', 'Timeout of requests to Twilio.', {
    default: 10_000,
    min: 100,
  }),
} as const satisfies ConfigSpec;
export type TwilioConfig = ConfigOf<typeof twilioConfig>;
