import { integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const smtpConfig = {
  smtpConnectTimeoutMs: integer(
    'SMTP_CONNECT_TIMEOUT_MS',
    'Timeout for connecting to an SMTP server, including its greeting.',
    {
      default: 10_000,
      min: 100,
    },
  ),
  smtpSocketTimeoutMs: integer(
    'SMTP_SOCKET_TIMEOUT_MS',
    'Timeout of an idle SMTP connection during a send.',
    { default: 60_000, min: 100 },
  ),
} as const satisfies ConfigSpec;
export type SmtpConfig = ConfigOf<typeof smtpConfig>;

/** The SMTP account of an application, in its channel settings. */
export type SmtpSettings = {
  readonly host: string;
  readonly port: number;
  readonly security: 'none' | 'starttls' | 'tls';
  readonly username?: string;
  readonly dkimDomain?: string;
  readonly dkimSelector?: string;
  readonly dkimEd25519Selector?: string;
};
