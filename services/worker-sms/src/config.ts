import { egressConfigs, egressHttpConfig } from '@tidings/egress';
import { encryptionConfig, optionalText, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { providerConfig } from './providers/configured.ts';

export const smsConfig = {
  ...egressConfigs.sms,
  ...egressHttpConfig,
  ...encryptionConfig,
  publicBaseUrl: optionalText(
    'PUBLIC_BASE_URL',
    'Public base URL for provider callbacks, as https://host. Without it the worker requests no callbacks.',
  ),
  ...providerConfig,
} as const satisfies ConfigSpec;
/** The channel's own settings; outbound connections are shared. */
export type SmsConfig = Omit<ConfigOf<typeof smsConfig>, 'egressAllowedNetworks'>;
