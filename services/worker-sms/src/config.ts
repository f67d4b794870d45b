import { egressConfigs, egressHttpConfig } from '@tidings/egress';
import {
  encryptionConfig,
  integer,
  optionalText,
  type ConfigOf,
  type ConfigSpec,
} from '@tidings/platform';

export const smsConfig = {
  ...egressConfigs.sms,
  ...egressHttpConfig,
  ...encryptionConfig,
  publicBaseUrl: optionalText(
    'PUBLIC_BASE_URL',
    'Where the links of mails lead, and providers call back, as https://host; without it mails have no links of ours and workers ask for no callbacks.',
  ),
  twilioTimeoutMs: integer(
    'TWILIO_TIMEOUT_MS',
    'Twilio’s answer to a message may take this long.',
    { default: 10_000, min: 100 },
  ),
  lookUpAfterMs: integer(
    'LOOK_UP_AFTER_MS',
    'An SMS whose outcome is unknown is looked up at Twilio after this time, when no callback came.',
    {
      default: 60_000,
      min: 100,
    },
  ),
  lookUpEveryMs: integer('LOOK_UP_EVERY_MS', 'Time between two look-ups of one SMS.', {
    default: 60_000,
    min: 100,
  }),
  lookUpUntilMs: integer(
    'LOOK_UP_UNTIL_MS',
    'What Twilio does not know of by then stays unknown.',
    { default: 900_000, min: 100 },
  ),
} as const satisfies ConfigSpec;
/** What the channel reads; its connections are opened for it. */
export type SmsConfig = Omit<ConfigOf<typeof smsConfig>, 'egressAllowedNetworks'>;
