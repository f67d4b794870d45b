import type { ChannelProvider } from '../provider.ts';
import { line, smsSender, webAddress } from './schemas.ts';
import { ratePerSecond } from './setting.ts';

/** Vonage, Messages API: an application of an account, and a sender. */
export const vonageSettings = {
  label: 'Vonage',
  setup:
    'At Vonage, link your number to the application, and set the inbound URL of its Messages capability to /cb/sms/vonage/inbound at your public address. A STOP then suppresses the number.',
  fields: {
    apiKey: {
      schema: {
        type: 'string',
        pattern: '^[A-Za-z0-9]{1,32}$',
        description: 'the key of an account of Vonage: letters and digits',
      },
      isRequired: true,
      label: 'API key',
      hint: 'The key of your account: signed callbacks name it',
    },
    applicationId: {
      schema: {
        type: 'string',
        pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
        description: 'the id of an application of Vonage: a UUID',
      },
      isRequired: true,
      label: 'Application ID',
      hint: 'An application with the Messages capability',
    },
    privateKey: {
      schema: {
        type: 'string',
        maxLength: 20_000,
        pattern:
          '^(\\*{8}|-----BEGIN (RSA )?PRIVATE KEY-----[A-Za-z0-9+/=\\s]+-----END (RSA )?PRIVATE KEY-----\\s*)$',
        description: 'an RSA private key in PEM',
      },
      isRequired: true,
      label: 'Private key',
      hint: 'Of the application, in PEM format',
      isSecret: true,
      isLong: true,
    },
    signatureSecret: {
      schema: { ...line(200), minLength: 1 },
      isRequired: true,
      label: 'Signature secret',
      hint: 'In the API settings of your account. Without it no callback is accepted.',
      isSecret: true,
    },
    from: {
      schema: smsSender,
      isRequired: true,
      label: 'Sender',
      hint: 'A phone number with country code, a short code or a name',
    },
    ratePerSecond,
    apiBaseUrl: {
      schema: webAddress(300),
      label: 'API URL',
      hint: 'Leave empty to use Vonage’s API',
    },
  },
  example: {
    apiKey: 'a1b2c3d4',
    applicationId: 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab',
    privateKey: '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----',
    signatureSecret: 'the account’s signature secret',
    from: '+15005550006',
  },
} as const satisfies ChannelProvider;
