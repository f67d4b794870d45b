import {
  listChannelStatuses,
  readChannelSettings,
  writeChannelSettings,
  type ChannelSettings,
} from '@tidings/accounts/channel-settings';
import { channelEndpoints, listChannelsEndpoint } from '@tidings/api-spec/endpoints/channels';
import { HIDDEN } from '@tidings/api-spec/hidden';
import { isTestAddress } from '@tidings/contracts/channels/addresses';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import {
  hasSeveralProviders,
  PROVIDER_SETTING,
  providerNameOf,
  providerOf,
} from '@tidings/contracts/channels/provider';
import { listSecretSettings } from '@tidings/contracts/channels/settings/setting';
import { readChannelPause, resumeChannel } from '@tidings/delivery/channel-pauses';
import { readOpenBreakers } from '@tidings/channel-breakers/open-breakers';
import { toE164 } from '@tidings/people/e164';
import { requestIdOf } from '@tidings/http/answer';
import { asciiMailbox, AppError } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { getActor, getApplicationId } from '../../auth/access.ts';
import { COMPLETIONS } from '../../channel-settings/completions.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { paginate } from '../../http/page.ts';
import { sendTest } from './test-send.ts';

/** Channel settings, and the test send that makes a channel ready. */
export function channelRoutes(deps: ApiDependencies): Route[] {
  const { db } = deps;
  return [
    defineRoute(listChannelsEndpoint, async ({ res, query }) => {
      const statuses = await listChannelStatuses(db, getApplicationId(res));
      const channels = CHANNELS.map((channel) => ({
        channel,
        status: statuses.get(channel) ?? ('not_configured' as const),
      }));
      return paginate(query, channels, ({ channel }) => channel);
    }),
    ...CHANNELS.flatMap((channel) => routesForChannel(channel, deps)),
  ];
}

function routesForChannel(channel: Channel, deps: ApiDependencies): Route[] {
  const { db, box } = deps;
  const { read, write, test } = channelEndpoints(channel);
  return [
    defineRoute(read, async ({ res }) =>
      toAnswer(
        db,
        channel,
        await readChannelSettings(db, box, { applicationId: getApplicationId(res), channel }),
      ),
    ),
    defineRoute(write, async ({ res, body }) => {
      const applicationId = getApplicationId(res);
      const before = await readChannelSettings(db, box, { applicationId, channel });
      await writeChannelSettings(db, box, {
        applicationId,
        channel,
        ...split(COMPLETIONS[channel]?.(body, before) ?? body, channel, before),
      });
      const after = await readChannelSettings(db, box, { applicationId, channel });
      if (after !== null) await resumeChannel(db, after);
      return toAnswer(db, channel, after);
    }),
    defineRoute(test, async ({ res, body: { to: written } }) => {
      const to = asAddressed(channel, written);
      if (!isTestAddress(channel, to)) {
        throw new AppError('validation_failed', 'A test send goes to one address.', {
          errors: [{ pointer: '/to', code: 'invalid_value', expected: 'one address' }],
        });
      }
      const settings = await readChannelSettings(db, box, {
        applicationId: getApplicationId(res),
        channel,
      });
      if (settings === null)
        throw new AppError('conflict', 'This channel is not configured. PUT its settings first.');
      return sendTest(deps, {
        channel,
        settings,
        to,
        actor: getActor(res),
        requestId: requestIdOf(res),
      });
    }),
  ];
}

/** An address as deliveries to a user have it, so that a suppression of it is found. */
function asAddressed(channel: Channel, to: string): string {
  switch (CHANNEL_DESCRIPTORS[channel].address.kind) {
    case 'mailbox':
      return asciiMailbox(to);
    case 'phone':
      return toE164(to, undefined) ?? to;
    case 'device':
    case 'identity':
      return to;
  }
}

/**
 * Splits the request into settings and secrets. A mask in place of a secret keeps the stored one,
 * unless that is of another provider.
 */
function split(
  input: Readonly<Record<string, unknown>>,
  channel: Channel,
  before: ChannelSettings | null,
) {
  const { providers } = CHANNEL_DESCRIPTORS[channel];
  const form = providerOf(providers, input);
  const secretFields = form === undefined ? [] : listSecretSettings(form);
  const masked = secretFields.filter((field) => input[field] === HIDDEN);
  const stored =
    before !== null &&
    providerNameOf(providers, before.settings) === providerNameOf(providers, input)
      ? before.secrets
      : {};
  if (masked.length > 0 && stored === null) {
    throw new AppError(
      'conflict',
      'The stored secrets were encrypted with another ENCRYPTION_KEY and cannot be kept. Send them again.',
    );
  }
  const secrets = Object.fromEntries(
    secretFields.flatMap((field) => {
      const value = masked.includes(field) ? stored?.[field] : input[field];
      return typeof value === 'string' && value !== '' ? [[field, value]] : [];
    }),
  );
  const settings = Object.fromEntries(
    Object.entries(input).filter(([field]) => !secretFields.includes(field)),
  );
  return { settings, secrets };
}

async function toAnswer(db: Database, channel: Channel, settings: ChannelSettings | null) {
  if (settings === null) return { channel, status: 'not_configured' as const, settings: {} };
  const secrets = Object.fromEntries(
    Object.keys(settings.secrets ?? {}).map((field) => [field, HIDDEN]),
  );
  const { providers } = CHANNEL_DESCRIPTORS[channel];
  const [pause, breaker] = await Promise.all([
    readChannelPause(db.sql, settings),
    readOpenBreakers(db.sql, settings),
  ]);
  return {
    channel,
    status: settings.status,
    testedAt: settings.testedAt,
    ...(pause !== null && { pause }),
    ...(breaker !== null && { breaker }),
    settings: {
      ...(hasSeveralProviders(providers) && {
        [PROVIDER_SETTING]: providerNameOf(providers, settings.settings),
      }),
      ...settings.settings,
      ...secrets,
    },
  };
}
