import { egressConfigs } from '@tidings/egress';
import {
  encryptionConfig,
  integer,
  optionalText,
  type ConfigOf,
  type ConfigSpec,
} from '@tidings/platform';

export const emailConfig = {
  ...egressConfigs.smtp,
  ...encryptionConfig,
  publicBaseUrl: optionalText(
    'PUBLIC_BASE_URL',
    'Where the links of mails lead, and providers call back, as https://host; without it mails have no links of ours and workers ask for no callbacks.',
  ),
  smtpConnectTimeoutMs: integer(
    'SMTP_CONNECT_TIMEOUT_MS',
    'Connecting to an SMTP server, and its greeting, may take this long.',
    {
      default: 10_000,
      min: 100,
    },
  ),
  smtpSocketTimeoutMs: integer(
    'SMTP_SOCKET_TIMEOUT_MS',
    'An SMTP server may be silent for this long.',
    { default: 60_000, min: 100 },
  ),
} as const satisfies ConfigSpec;
/** What the channel reads; its connections are opened for it. */
export type EmailConfig = Omit<ConfigOf<typeof emailConfig>, 'egressAllowedNetworks'>;
