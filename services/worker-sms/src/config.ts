import { egressConfigs, egressHttpConfig } from '@tidings/egress';
import {
  encryptionConfig,
  integer,
  optionalText,
  type ConfigOf,
  type ConfigSpec,
} from '@tidings/platform';
import { smsProvidersConfig } from './providers/registry.ts';

export const smsConfig = {
  ...egressConfigs.sms,
  ...egressHttpConfig,
  ...encryptionConfig,
  publicBaseUrl: optionalText(
    'PUBLIC_BASE_URL',
    'Public base URL for provider callbacks, as https://host. Without it the worker requests no callbacks.',
  ),
  pollAfterMs: integer(
    'POLL_AFTER_MS',
    'Delay until a provider that can be polled is polled for an SMS with an unknown outcome and no callback.',
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
  ...smsProvidersConfig,
} as const satisfies ConfigSpec;
/** The channel's own settings; outbound connections are shared. */
export type SmsConfig = Omit<ConfigOf<typeof smsConfig>, 'egressAllowedNetworks'>;
