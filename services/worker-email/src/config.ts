import { sendConcurrencyOf } from '@tidings/channel-worker';
import { egressConfigs } from '@tidings/egress';
import { encryptionConfig, optionalText, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { providerConfig } from './providers/configured.ts';

export const emailConfig = {
  ...egressConfigs.smtp,
  ...encryptionConfig,
  sendConcurrency: sendConcurrencyOf(
    50,
    'Higher for e-mail, because a send mostly waits for the replies of the SMTP server. The price: a killed worker leaves up to 50 mails with an unknown outcome, which are not sent again. A slow SMTP server gets a connection for each send in flight, a quick one fewer: set it to at most what the server allows.',
  ),
  publicBaseUrl: optionalText(
    'PUBLIC_BASE_URL',
    'Where the links of mails lead, and providers call back, as https://host; without it mails have no links of ours and workers ask for no callbacks.',
  ),
  ...providerConfig,
} as const satisfies ConfigSpec;
/** The channel's own settings; outbound connections are shared. */
export type EmailConfig = Omit<
  ConfigOf<typeof emailConfig>,
  'egressAllowedNetworks' | 'sendConcurrency'
>;
