import type { ChannelProvider } from '../provider.ts';
import { ratePerSecond } from './setting.ts';

/** Web push: the contact for push services, and the key pair (VAPID) that browsers subscribe with. */
export const pushServiceSettings = {
  label: 'Push services of browsers',
  fields: {
    subject: {
      schema: {
        type: 'string',
        maxLength: 300,
        pattern:
          '^(mailto:[^\\s\\p{Cc}\\ud800-\\udfff@]+@[^\\s\\p{Cc}\\ud800-\\udfff@]+|https://[^\\s\\p{Cc}\\ud800-\\udfff]+)$',
        description: 'mailto: and an address, or an https address',
      },
      isRequired: true,
      label: 'Contact',
      hint: 'Where push services report problems: a mailto: or https: URL. The key pair is generated automatically.',
    },
    publicKey: {
      schema: {
        type: 'string',
        pattern: '^B[A-Za-z0-9_-]{86}$',
        description: 'a public key on P-256 in base64url',
      },
      label: 'Public key',
      hint: 'Browsers subscribe with this key. Changing it loses all subscriptions.',
    },
    privateKey: {
      schema: {
        type: 'string',
        pattern: '^([A-Za-z0-9_-]{43}|\\*{8})$',
        description: 'a private key on P-256 in base64url',
      },
      label: 'Private key',
      isSecret: true,
    },
    rotateKeys: { schema: { type: 'boolean' } },
    ratePerSecond,
  },
  example: { subject: 'mailto:ops@example.com' },
} as const satisfies ChannelProvider;
