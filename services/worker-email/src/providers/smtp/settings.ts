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

/** @throws SmtpSettingsError without what each mail needs */
export function checkSettings(settings: Readonly<Record<string, unknown>>): void {
  const { host, port, fromAddress } = settings;
  if (typeof host !== 'string' || typeof port !== 'number')
    throw new SmtpSettingsError('settings', 'The settings have no SMTP host or no port.');
  if (typeof fromAddress !== 'string' || !fromAddress.includes('@'))
    throw new SmtpSettingsError('settings', 'The settings have no sender address.');
}

/**
 * Settings of an application by which no mail can be sent; `no_public_url`: of the installation, by which
 * this one cannot. Its text has no values.
 */
export class SmtpSettingsError extends Error {
  override readonly name = 'SmtpSettingsError';
  readonly code: 'dkim_key' | 'settings' | 'no_public_url';

  constructor(code: SmtpSettingsError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
