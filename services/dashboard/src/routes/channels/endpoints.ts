import { CHANNELS } from '@tidings/contracts';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { STORABLE_LINE } from '../plain-text.ts';
import { Count, NullableInstant, oneOf, pageQuery, pageSchema } from '../schemas.ts';
import { CHANNEL_FORMS, EmailSettings } from './settings-schemas.ts';

const Configurable = oneOf(CHANNELS.filter((channel) => CHANNEL_FORMS[channel] !== undefined));
const Status = oneOf(['not_configured', 'untested', 'ready']);

const ChannelSettings = Type.Object({
  channel: oneOf(CHANNELS),
  status: Status,
  testedAt: Type.Optional(NullableInstant),
  // As written, with `********` for each secret; empty while the channel is not configured.
  settings: Type.Unsafe<object>({ type: 'object' }),
});

const TestSend = Type.Object({
  ok: Type.Boolean(),
  status: Type.String(),
  reason: Type.Optional(Type.String()),
  providerCode: Type.Optional(Type.String()),
  providerMessage: Type.Optional(Type.String()),
  durationMs: Count,
});

const SETTINGS = { host: 'smtp.example.com', port: 587, security: 'starttls', fromAddress: 'shop@example.com', username: 'shop' };
const CHANNEL_EXAMPLE = { channel: 'EMAIL', status: 'untested', testedAt: null, settings: { ...SETTINGS, password: '********' } };

const channel = { access: 'application_administrator', parameters: { channel: Configurable } } as const;

export const listChannelsEndpoint = endpoint({
  method: 'GET',
  path: 'channels',
  access: 'application_administrator',
  summary: 'All channels with their status',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of channels.',
    schema: pageSchema(Type.Object({ channel: oneOf(CHANNELS), status: Status })),
    example: { items: [{ channel: 'EMAIL', status: 'ready' }], nextCursor: null },
  },
});

export const readChannelEndpoint = endpoint({
  ...channel,
  method: 'GET',
  path: 'channels/:channel',
  summary: 'The settings of a channel; secrets are shown as ********',
  answer: { status: 200, description: 'The settings.', schema: ChannelSettings, example: CHANNEL_EXAMPLE },
  refusals: [404],
});

export const writeChannelEndpoint = endpoint({
  ...channel,
  method: 'PUT',
  path: 'channels/:channel',
  summary: 'Replaces the settings of a channel, which is untested then',
  description: '******** keeps a secret. 409 when the stored secrets were sealed with another ENCRYPTION_KEY and cannot be kept.',
  body: EmailSettings,
  bodyExample: { ...SETTINGS, password: 'correct horse battery staple' },
  answer: { status: 200, description: 'The settings.', schema: ChannelSettings, example: CHANNEL_EXAMPLE },
  refusals: [404, 409],
});

export const testChannelEndpoint = endpoint({
  ...channel,
  method: 'POST',
  path: 'channels/:channel/test',
  summary: 'Sends one test message; its success makes the channel ready',
  body: Type.Object({ to: Type.String({ minLength: 1, maxLength: 254, pattern: STORABLE_LINE, description: 'one address' }) }, { additionalProperties: false }),
  bodyExample: { to: 'me@example.com' },
  answer: {
    status: 200,
    description: 'What became of it, with the provider’s own answer.',
    schema: TestSend,
    example: { ok: true, status: 'sent', providerCode: '250', durationMs: 312 },
  },
  refusals: [404, 409],
});
