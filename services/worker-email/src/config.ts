import { egressConfigs } from '@tidings/egress';
import { encryptionConfig, optionalText, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { providerConfig } from './providers/configured.ts';

export const emailConfig = {
  ...egressConfigs.smtp,
  ...encryptionConfig,
  publicBaseUrl: optionalText(
    'PUBLIC_BASE_URL',
    'Where the links of mails lead, and providers call back, as https://host; without it mails have no links of ours and workers ask for no callbacks.',
  ),
  ...providerConfig,
} as const satisfies ConfigSpec;
/** The channel's own settings; outbound connections are shared. */
export type EmailConfig = Omit<ConfigOf<typeof emailConfig>, 'egressAllowedNetworks'>;
