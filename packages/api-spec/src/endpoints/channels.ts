import { TEST_ADDRESS_CHARS_MAX } from '@tidings/contracts/channels/addresses';
import { hasCountries, mayHaveAccounts } from '@tidings/contracts/channels/accounts';
import { ACCOUNT_NAME_PATTERN } from '@tidings/contracts/channels/account-names';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import {
  hasSeveralProviders,
  buildAccountsSchema,
  buildSettingsSchema,
  PROVIDER_SETTING,
  providerNameOf,
  providerOf,
} from '@tidings/contracts/channels/provider';
import { listSecretSettings } from '@tidings/contracts/channels/settings/setting';
import { DELIVERY_REASONS } from '@tidings/contracts/push/deliveries';
import { channelInNames } from '@tidings/contracts/push/push';
import { STORABLE_LINE } from '@tidings/contracts/storable-text';
import { Type } from 'typebox';
import { BounceSchema } from '../bounce-schema.ts';
import { ChannelHealthSchema, HEALTH_EXAMPLE } from '../channel-health-schema.ts';
import { endpoint } from '../endpoint.ts';
import { Count, Instant, NullableInstant, oneOf, pageQuery, pageSchema } from '../schemas.ts';
import { HIDDEN } from '../hidden.ts';

const Status = oneOf(['not_configured', 'untested', 'ready']);

/** What keeps a channel, or an account of it, from sending. */
const Obstacles = {
  // Set while the provider rejects the settings. Deliveries wait until the settings change or a
  // test send succeeds.
  pause: Type.Optional(
    Type.Object({
      reason: oneOf(DELIVERY_REASONS),
      providerCode: Type.Optional(Type.String()),
      providerMessage: Type.Optional(Type.String()),
      pausedAt: Instant,
    }),
  ),
  // Set while the circuit breaker is open. Deliveries wait; one is sent as a probe at `probeAt`.
  breaker: Type.Optional(
    Type.Object({
      cause: oneOf(['failures', 'rate_limited']),
      openedAt: Instant,
      probeAt: Instant,
      workers: Count,
    }),
  ),
};

const ChannelSettings = {
  channel: oneOf(CHANNELS),
  status: Status,
  testedAt: Type.Optional(NullableInstant),
  health: ChannelHealthSchema,
  ...Obstacles,
};

const Account = Type.Object(
  {
    name: Type.String(),
    provider: Type.String(),
    share: Type.Optional(Type.Integer()),
    countries: Type.Optional(Type.Array(Type.String())),
    status: oneOf(['untested', 'ready']),
    testedAt: NullableInstant,
    ...Obstacles,
    settings: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' }),
  },
  { title: 'ChannelAccount' },
);

/**
 * The settings, with `********` for each secret. Empty while the channel is not configured. With
 * several providers, those of any.
 */
function shownSettings(channel: Channel) {
  const { providers } = CHANNEL_DESCRIPTORS[channel];
  const fields = Object.values(providers).flatMap((form) => Object.entries(form.fields));
  return Type.Unsafe<Readonly<Record<string, unknown>>>({
    title: `${channelInNames(channel)}Settings`,
    type: 'object',
    properties: {
      ...(hasSeveralProviders(providers) && {
        [PROVIDER_SETTING]: { type: 'string', description: 'the provider' },
      }),
      ...Object.fromEntries(fields.map(([field, { schema }]) => [field, describeType(schema)])),
    },
  });
}

/** Settings for the first provider. */
function exampleOf(channel: Channel): Readonly<Record<string, unknown>> {
  const { providers } = CHANNEL_DESCRIPTORS[channel];
  const example = providerOf(providers, {})?.example;
  return hasSeveralProviders(providers)
    ? { [PROVIDER_SETTING]: providerNameOf(providers, {}), ...example }
    : { ...example };
}

/** Type and description of a setting, without its validation: the secret mask would fail it. */
function describeType({
  type,
  description,
}: {
  readonly type?: unknown;
  readonly description?: string;
}) {
  return { ...(type !== undefined && { type }), ...(description !== undefined && { description }) };
}

const TestSend = Type.Object({
  ok: Type.Boolean(),
  status: Type.String(),
  reason: Type.Optional(Type.String()),
  providerCode: Type.Optional(Type.String()),
  providerMessage: Type.Optional(Type.String()),
  bounce: Type.Optional(BounceSchema),
  durationMs: Count,
});

const access = 'application_administrator' as const;

export const listChannelsEndpoint = endpoint({
  name: 'listChannels',
  method: 'GET',
  path: 'channels',
  access,
  summary: 'List all channels with their status and the outcomes of the last hour',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of channels.',
    schema: pageSchema(
      Type.Object({ channel: oneOf(CHANNELS), status: Status, health: ChannelHealthSchema }),
    ),
    example: {
      items: [{ channel: 'EMAIL', status: 'ready', health: HEALTH_EXAMPLE }],
      nextCursor: null,
    },
  },
});

/**
 * The endpoints of one channel: settings and test send. Each channel has its own schema, so it has
 * its own path.
 */
export function channelEndpoints(channel: Channel) {
  const { providers, labels } = CHANNEL_DESCRIPTORS[channel];
  const bodyExample = exampleOf(channel);
  const form = providerOf(providers, bodyExample);
  const secrets = form === undefined ? [] : listSecretSettings(form);
  const shown = Object.entries(bodyExample).map(([field, value]) => [
    field,
    secrets.includes(field) ? HIDDEN : value,
  ]);
  const example = {
    channel,
    status: 'untested',
    testedAt: null,
    health: HEALTH_EXAMPLE,
    settings: Object.fromEntries(shown),
  };
  const answer = {
    status: 200,
    description: 'The settings.',
    schema: Type.Object(
      {
        ...ChannelSettings,
        settings: shownSettings(channel),
        accounts: Type.Optional(Type.Array(Account)),
      },
      { title: `${channelInNames(channel)}Channel` },
    ),
    example,
  } as const;
  return {
    read: endpoint({
      name: `read${channelInNames(channel)}Channel`,
      method: 'GET',
      path: `channels/${channel}`,
      access,
      summary: `Read the ${channel} settings; secrets are shown as ${HIDDEN}`,
      answer,
    }),
    write: endpoint({
      name: `write${channelInNames(channel)}Channel`,
      method: 'PUT',
      path: `channels/${channel}`,
      access,
      summary: `Replace the ${channel} settings`,
      description: `${mayHaveAccounts(channel) ? 'Of one account, or those of the channel with a list of `accounts`; an account that stays as it is stays ready. Otherwise the' : 'The'} channel becomes \`untested\`. ${HIDDEN} keeps the stored secret. 409 when the stored secrets were encrypted with another ENCRYPTION_KEY and cannot be read.`,
      body: Type.Unsafe<Readonly<Record<string, unknown>>>(
        mayHaveAccounts(channel)
          ? buildAccountsSchema(providers, {
              name: channelInNames(channel),
              hasCountries: hasCountries(channel),
            })
          : buildSettingsSchema(providers),
      ),
      bodyExample,
      answer,
      errorStatuses: [409],
    }),
    test: endpoint({
      name: `test${channelInNames(channel)}Channel`,
      method: 'POST',
      path: `channels/${channel}/test`,
      access,
      summary: `Send a test message by ${channel}; success makes the channel ready`,
      body: Type.Object(
        {
          to: Type.String({
            minLength: 1,
            maxLength: TEST_ADDRESS_CHARS_MAX[channel],
            pattern: STORABLE_LINE,
            description: 'one address',
          }),
          ...(mayHaveAccounts(channel) && {
            account: Type.Optional(
              Type.String({
                pattern: ACCOUNT_NAME_PATTERN,
                description: 'the account to send by; absent: the first one',
              }),
            ),
          }),
        },
        { additionalProperties: false },
      ),
      bodyExample: { to: labels.testTo.example },
      answer: {
        status: 200,
        description: 'The outcome, with the response of the provider.',
        schema: TestSend,
        example: { ok: true, status: 'sent', providerCode: '250', durationMs: 312 },
      },
      errorStatuses: [409],
    }),
  };
}
