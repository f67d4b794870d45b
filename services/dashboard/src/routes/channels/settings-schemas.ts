import { isMailbox, type Channel } from '@tidings/contracts';
import { Type, type TSchema } from 'typebox';
import { STORABLE_LINE } from '../plain-text.ts';

/** How the settings of one channel are checked, and which of them are secrets: written, never read. */
export type ChannelForm = {
  readonly schema: TSchema;
  readonly secretFields: readonly string[];
  /** Whether a test send can go to this address. */
  readonly isTestAddress: (to: string) => boolean;
};

const line = (charsMax: number) => Type.Optional(Type.String({ maxLength: charsMax, pattern: STORABLE_LINE, description: 'text on one line' }));

export const EmailSettings = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:_-]+$', description: 'a host name or address' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    security: Type.Unsafe<string>({ enum: ['none', 'starttls', 'tls'] }),
    fromAddress: Type.String({
      minLength: 3,
      maxLength: 254,
      pattern: '^[^\\s\\p{Cc}\\ud800-\\udfff@<>(),;:"]+@[^\\s\\p{Cc}\\ud800-\\udfff@<>(),;:"]+$',
      description: 'an e-mail address',
    }),
    fromName: line(100),
    username: line(200),
    password: line(1_000),
  },
  { additionalProperties: false },
);

/** The channels that can be configured so far. */
export const CHANNEL_FORMS: Partial<Record<Channel, ChannelForm>> = {
  EMAIL: { schema: EmailSettings, secretFields: ['password'], isTestAddress: isMailbox },
};
