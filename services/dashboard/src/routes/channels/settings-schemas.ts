import { isMailbox, type Channel } from '@tidings/contracts';
import { compileValidator, type Validation } from '@tidings/platform';
import { Type } from 'typebox';
import { STORABLE_LINE } from '../plain-text.ts';

/** How the settings of one channel are checked, and which of them are secrets: written, never read. */
export type ChannelForm = {
  readonly validate: (value: unknown) => Validation<Record<string, unknown>>;
  readonly secretFields: readonly string[];
  /** Whether a test send can go to this address. */
  readonly isTestAddress: (to: string) => boolean;
};

const emailSettings = compileValidator<Record<string, unknown>>(
  Type.Object(
    {
      host: Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:_-]+$' }),
      port: Type.Integer({ minimum: 1, maximum: 65_535 }),
      security: Type.Unsafe<string>({ enum: ['none', 'starttls', 'tls'] }),
      fromAddress: Type.String({ minLength: 3, maxLength: 254, pattern: '^[^\\s\\p{Cc}\\ud800-\\udfff@<>(),;:"]+@[^\\s\\p{Cc}\\ud800-\\udfff@<>(),;:"]+$' }),
      fromName: Type.Optional(Type.String({ maxLength: 100, pattern: STORABLE_LINE })),
      username: Type.Optional(Type.String({ maxLength: 200, pattern: STORABLE_LINE })),
      password: Type.Optional(Type.String({ maxLength: 1_000, pattern: STORABLE_LINE })),
    },
    { additionalProperties: false },
  ),
);

/** The channels that can be configured so far. */
export const CHANNEL_FORMS: Partial<Record<Channel, ChannelForm>> = {
  EMAIL: { validate: emailSettings, secretFields: ['password'], isTestAddress: isMailbox },
};
