import type { Channel } from '@tidings/contracts';

/** One setting of a channel, as a field of its page. */
export type ChannelField = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind?: 'text' | 'number' | 'secret' | 'long' | 'long_secret' | 'choice';
  readonly choices?: readonly string[];
  readonly isNeeded?: boolean;
};

const rate: ChannelField = {
  name: 'ratePerSecond',
  label: 'Sends a second',
  kind: 'number',
  hint: 'What the provider takes from you; empty: the default.',
};

/** What each channel is set up with. */
export const CHANNEL_FIELDS: Readonly<Record<Channel, readonly ChannelField[]>> = {
  EMAIL: [
    { name: 'host', label: 'SMTP host', isNeeded: true, hint: 'As smtp.example.com' },
    {
      name: 'port',
      label: 'Port',
      kind: 'number',
      isNeeded: true,
      hint: 'Usually 587 with STARTTLS, 465 with TLS',
    },
    {
      name: 'security',
      label: 'Encryption',
      kind: 'choice',
      choices: ['starttls', 'tls', 'none'],
      isNeeded: true,
    },
    { name: 'fromAddress', label: 'Sender’s address', isNeeded: true },
    { name: 'fromName', label: 'Sender’s name' },
    { name: 'username', label: 'User name' },
    { name: 'password', label: 'Password', kind: 'secret' },
    {
      name: 'dkimDomain',
      label: 'DKIM domain',
      hint: 'For signing here; leave all three empty where the provider signs.',
    },
    { name: 'dkimSelector', label: 'DKIM selector' },
    { name: 'dkimPrivateKey', label: 'DKIM private key', kind: 'long_secret', hint: 'RSA, in PEM' },
    {
      name: 'bounceDomain',
      label: 'Domain of return addresses',
      hint: 'Whose mail server reports bounces to /cb/email/dsn',
    },
    { name: 'bounceSecret', label: 'Secret of bounce reports', kind: 'secret' },
    { name: 'unsubscribeMailbox', label: 'Mailbox for unsubscribing' },
    rate,
  ],
  SMS: [
    { name: 'accountSid', label: 'Twilio account SID', isNeeded: true, hint: 'AC and 32 digits' },
    { name: 'authToken', label: 'Auth token', kind: 'secret', isNeeded: true },
    {
      name: 'from',
      label: 'Sender',
      hint: 'A number with country code, a short code or a name; or a messaging service instead',
    },
    { name: 'messagingServiceSid', label: 'Messaging service SID', hint: 'MG and 32 digits' },
    rate,
    { name: 'apiBaseUrl', label: 'Address of the API', hint: 'Only where it is not Twilio’s own' },
  ],
  WEB_PUSH: [
    {
      name: 'subject',
      label: 'Contact',
      isNeeded: true,
      hint: 'Whom a push service writes to: mailto: and an address, or an https address. The key pair is made by itself.',
    },
    {
      name: 'publicKey',
      label: 'Public key',
      hint: 'Browsers subscribe with it: a new one loses all subscriptions.',
    },
    { name: 'privateKey', label: 'Private key', kind: 'secret' },
    rate,
  ],
  APP_PUSH: [
    {
      name: 'serviceAccount',
      label: 'Service account',
      kind: 'long_secret',
      isNeeded: true,
      hint: 'The JSON file from Firebase’s project settings',
    },
    rate,
    { name: 'apiBaseUrl', label: 'Address of the API', hint: 'Only where it is not Google’s own' },
  ],
  WEB_HOOK: [
    { name: 'url', label: 'Address', hint: 'Where hooks go that name none of their own' },
    {
      name: 'secret',
      label: 'Signing secret',
      kind: 'secret',
      isNeeded: true,
      hint: 'whsec_ and 24 to 64 bytes in base64',
    },
    {
      name: 'previousSecret',
      label: 'Secret before',
      kind: 'secret',
      hint: 'Signs too while receivers change over',
    },
    rate,
  ],
  IN_APP: [],
  ON_SITE: [],
};

const HIDDEN = '********';
export const isSecret = ({ kind }: ChannelField): boolean =>
  kind === 'secret' || kind === 'long_secret';

/** What is written: empty fields are left out; a secret that nobody has typed stays as it is. */
export function settingsOf(
  fields: readonly ChannelField[],
  values: Readonly<Record<string, string>>,
  before: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = (values[field.name] ?? '').trim();
      if (text === '')
        return isSecret(field) && before[field.name] === HIDDEN ? [[field.name, HIDDEN]] : [];
      return [
        [field.name, field.kind === 'number' && !Number.isNaN(Number(text)) ? Number(text) : text],
      ];
    }),
  );
}

/** What the fields begin with: all that is kept but secrets. */
export function valuesOf(
  fields: readonly ChannelField[],
  settings: Readonly<Record<string, unknown>>,
): Record<string, string> {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      isSecret(field) || settings[field.name] === undefined ? '' : String(settings[field.name]),
    ]),
  );
}
