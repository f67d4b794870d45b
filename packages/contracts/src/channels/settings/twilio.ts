import type { ChannelProvider } from '../provider.ts';
import { line, smsSender, webAddress } from './schemas.ts';
import { ratePerSecond } from './setting.ts';

/** Twilio: an account, and a number or messaging service as the sender. */
export const twilioSettings = {
  label: 'Twilio',
  setup:
    'At Twilio, let “a message comes in” of your number call /cb/sms/twilio/inbound at your public address. A STOP then suppresses the number.',
  fields: {
    accountSid: {
      schema: {
        type: 'string',
        pattern: '^AC[0-9a-fA-F]{32}$',
        description: 'an account of Twilio: AC and 32 hexadecimal digits',
      },
      isRequired: true,
      label: 'Twilio account SID',
      hint: 'Starts with AC',
    },
    authToken: {
      schema: { ...line(200), minLength: 1 },
      isRequired: true,
      label: 'Auth token',
      isSecret: true,
    },
    from: {
      schema: smsSender,
      label: 'Sender',
      hint: 'A phone number with country code, a short code or a name. Leave empty to use a messaging service.',
    },
    messagingServiceSid: {
      schema: {
        type: 'string',
        pattern: '^MG[0-9a-fA-F]{32}$',
        description: 'a messaging service of Twilio: MG and 32 hexadecimal digits',
      },
      label: 'Messaging service SID',
      hint: 'Starts with MG',
    },
    ratePerSecond,
    apiBaseUrl: {
      schema: webAddress(300),
      label: 'API URL',
      hint: 'Leave empty to use Twilio’s API',
    },
  },
  oneOf: ['from', 'messagingServiceSid'],
  example: {
    accountSid: `AC${'0123456789abcdef'.repeat(2)}`,
    authToken: 'the account’s auth token',
    from: '+15005550006',
  },
} as const satisfies ChannelProvider;
