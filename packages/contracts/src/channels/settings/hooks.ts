import { webAddress } from './schemas.ts';
import { ratePerSecond, type ChannelSettingsForm } from './setting.ts';

const secret = {
  type: 'string',
  pattern: '^(whsec_[A-Za-z0-9+/]{32,86}={0,2}|\\*{8})$',
  description: 'whsec_ and 24 to 64 bytes in base64',
} as const;

/** Signed hooks, with a second secret while receivers change from one to the other. */
export const hookSettings = {
  fields: {
    url: {
      schema: webAddress(2_000),
      label: 'Address',
      hint: 'Where hooks go that name none of their own',
    },
    secret: {
      schema: secret,
      isRequired: true,
      label: 'Signing secret',
      hint: 'whsec_ and 24 to 64 bytes in base64',
      isSecret: true,
    },
    previousSecret: {
      schema: secret,
      label: 'Secret before',
      hint: 'Signs too while receivers change over',
      isSecret: true,
    },
    ratePerSecond,
  },
  example: {
    url: 'https://hooks.example.com/tidings',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  },
} as const satisfies ChannelSettingsForm;
