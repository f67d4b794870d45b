import type { ChannelProvider } from '../provider.ts';
import { webAddress } from './schemas.ts';
import { ratePerSecond } from './setting.ts';

const secret = {
  type: 'string',
  pattern: '^(whsec_[A-Za-z0-9+/]{32,86}={0,2}|\\*{8})$',
  description: 'whsec_ and 24 to 64 bytes in base64',
} as const;

/** Signed webhooks, with a second secret during a rotation. */
export const hookSettings = {
  label: 'Webhooks',
  fields: {
    url: {
      schema: webAddress(2_000),
      label: 'URL',
      hint: 'Used by messages without their own URL',
    },
    secret: {
      schema: secret,
      isRequired: true,
      label: 'Signing secret',
      hint: 'Starts with whsec_, then 24 to 64 bytes in base64',
      isSecret: true,
    },
    previousSecret: {
      schema: secret,
      label: 'Previous secret',
      hint: 'Also signs requests while receivers switch to the new secret',
      isSecret: true,
    },
    ratePerSecond,
  },
  example: {
    url: 'https://hooks.example.com/tidings',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  },
} as const satisfies ChannelProvider;
