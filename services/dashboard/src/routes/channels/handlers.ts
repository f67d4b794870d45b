import {
  listChannelStatuses,
  readChannelSettings,
  writeChannelSettings,
  type ChannelSettings,
} from '@tidings/accounts/channel-settings';
import { channelEndpoints, listChannelsEndpoint } from '@tidings/api-spec/endpoints/channels';
import { HIDDEN } from '@tidings/api-spec/hidden';
import { CHANNELS, type Channel } from '@tidings/contracts';
import { readChannelPause, resumeChannel } from '@tidings/delivery/channel-pauses';
import { readOpenBreakers } from '@tidings/delivery/open-breakers';
import { AppError, requestIdOf } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { actorOf, applicationIdOf } from '../../auth/access.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { handledBy, type Route } from '../../http/route.ts';
import { pageOf } from '../../http/page.ts';
import { CHANNEL_FORMS, type ChannelForm } from './settings-schemas.ts';
import { sendTest } from './test-send.ts';

/** Settings of each channel, and the test send that makes a channel ready. */
export function channelRoutes(deps: DashboardDependencies): Route[] {
  const { db } = deps;
  return [
    handledBy(listChannelsEndpoint, async ({ res, query }) => {
      const statuses = await listChannelStatuses(db, applicationIdOf(res));
      const channels = CHANNELS.map((channel) => ({
        channel,
        status: statuses.get(channel) ?? ('not_configured' as const),
      }));
      return pageOf(query, channels, ({ channel }) => channel);
    }),
    ...CHANNELS.flatMap((channel) => routesOf({ channel, form: CHANNEL_FORMS[channel] }, deps)),
  ];
}

function routesOf(
  { channel, form }: { readonly channel: Channel; readonly form: ChannelForm },
  deps: DashboardDependencies,
): Route[] {
  const { db, box } = deps;
  const { read, write, test } = channelEndpoints(channel, form);
  return [
    handledBy(read, async ({ res }) =>
      shown(
        db,
        channel,
        await readChannelSettings(db, box, { applicationId: applicationIdOf(res), channel }),
      ),
    ),
    handledBy(write, async ({ res, body }) => {
      const applicationId = applicationIdOf(res);
      const before = await readChannelSettings(db, box, { applicationId, channel });
      const written = body as Record<string, unknown>;
      await writeChannelSettings(db, box, {
        applicationId,
        channel,
        ...split(form.complete?.(written, before) ?? written, form, before),
      });
      const after = await readChannelSettings(db, box, { applicationId, channel });
      if (after !== null) await resumeChannel(db, after);
      return shown(db, channel, after);
    }),
    handledBy(test, async ({ res, body: { to } }) => {
      if (!form.isTestAddress(to)) {
        throw new AppError('validation_failed', 'A test send goes to one address.', {
          errors: [{ pointer: '/to', code: 'invalid_value', expected: 'one address' }],
        });
      }
      const settings = await readChannelSettings(db, box, {
        applicationId: applicationIdOf(res),
        channel,
      });
      if (settings === null)
        throw new AppError('conflict', 'This channel is not configured: PUT its settings first.');
      return sendTest(deps, {
        channel,
        settings,
        to,
        actor: actorOf(res),
        requestId: requestIdOf(res),
      });
    }),
  ];
}

/** Settings and secrets of what was written. The mask that was read, written back, keeps the secret. */
function split(
  input: Readonly<Record<string, unknown>>,
  form: ChannelForm,
  before: ChannelSettings | null,
) {
  const masked = form.secretFields.filter((field) => input[field] === HIDDEN);
  if (masked.length > 0 && before?.secrets === null) {
    throw new AppError(
      'conflict',
      'The stored secrets were sealed with another ENCRYPTION_KEY and cannot be kept: write them anew.',
    );
  }
  const secrets = Object.fromEntries(
    form.secretFields.flatMap((field) => {
      const value = masked.includes(field) ? before?.secrets?.[field] : input[field];
      return typeof value === 'string' && value !== '' ? [[field, value]] : [];
    }),
  );
  const settings = Object.fromEntries(
    Object.entries(input).filter(([field]) => !form.secretFields.includes(field)),
  );
  return { settings, secrets };
}

async function shown(db: Database, channel: Channel, settings: ChannelSettings | null) {
  if (settings === null) return { channel, status: 'not_configured' as const, settings: {} };
  const secrets = Object.fromEntries(
    Object.keys(settings.secrets ?? {}).map((field) => [field, HIDDEN]),
  );
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
    settings: { ...settings.settings, ...secrets },
  };
}
