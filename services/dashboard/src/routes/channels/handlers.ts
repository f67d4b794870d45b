import { CHANNELS, type Channel } from '@tidings/contracts';
import { listChannelStatuses, readChannelSettings, writeChannelSettings, type ChannelSettings } from '@tidings/db';
import { AppError, requestIdOf } from '@tidings/platform';
import { applicationIdOf } from '../../auth/access.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import type { Route } from '../endpoint.ts';
import { pageOf } from '../page.ts';
import { listChannelsEndpoint, readChannelEndpoint, testChannelEndpoint, writeChannelEndpoint } from './endpoints.ts';
import { CHANNEL_FORMS, type ChannelForm } from './settings-schemas.ts';
import { sendTest } from './test-send.ts';

const HIDDEN = '********';

/** Settings of each channel, and the test send that makes a channel ready. */
export function channelRoutes(deps: DashboardDependencies): Route[] {
  const { db, box } = deps;
  return [
    listChannelsEndpoint.handledBy(async ({ res, query }) => {
      const statuses = await listChannelStatuses(db, applicationIdOf(res));
      const channels = CHANNELS.map((channel) => ({ channel, status: statuses.get(channel) ?? 'not_configured' }));
      return pageOf(query, channels, ({ channel }) => channel);
    }),
    readChannelEndpoint.handledBy(async ({ res, params }) => {
      const { channel } = channelOf(params);
      return shown(channel, await readChannelSettings(db, box, { applicationId: applicationIdOf(res), channel }));
    }),
    writeChannelEndpoint.handledBy(async ({ res, params, body }) => {
      const applicationId = applicationIdOf(res);
      const { channel, form } = channelOf(params);
      const before = await readChannelSettings(db, box, { applicationId, channel });
      await writeChannelSettings(db, box, { applicationId, channel, ...split(body, form, before) });
      return shown(channel, await readChannelSettings(db, box, { applicationId, channel }));
    }),
    testChannelEndpoint.handledBy(async ({ res, params, body: { to } }) => {
      const { channel, form } = channelOf(params);
      if (!form.isTestAddress(to)) {
        throw new AppError('validation_failed', 'A test send goes to one address.', { errors: [{ pointer: '/to', code: 'invalid_value', expected: 'one address' }] });
      }
      const settings = await readChannelSettings(db, box, { applicationId: applicationIdOf(res), channel });
      if (settings === null) throw new AppError('conflict', 'This channel is not configured: PUT its settings first.');
      return sendTest(deps, { channel, settings, to, actor: String(res.locals['actor']), requestId: requestIdOf(res) });
    }),
  ];
}

/** Settings and secrets of what was written. The mask that was read, written back, keeps the secret. */
function split(input: Readonly<Record<string, unknown>>, form: ChannelForm, before: ChannelSettings | null) {
  const masked = form.secretFields.filter((field) => input[field] === HIDDEN);
  if (masked.length > 0 && before?.secrets === null) {
    throw new AppError('conflict', 'The stored secrets were sealed with another ENCRYPTION_KEY and cannot be kept: write them anew.');
  }
  const secrets = Object.fromEntries(
    form.secretFields.flatMap((field) => {
      const value = masked.includes(field) ? before?.secrets?.[field] : input[field];
      return typeof value === 'string' && value !== '' ? [[field, value]] : [];
    }),
  );
  const settings = Object.fromEntries(Object.entries(input).filter(([field]) => !form.secretFields.includes(field)));
  return { settings, secrets };
}

function channelOf(params: Readonly<Record<string, string>>): { readonly channel: Channel; readonly form: ChannelForm } {
  const channel = CHANNELS.find((name) => name === params['channel']);
  const form = channel && CHANNEL_FORMS[channel];
  if (channel === undefined || form === undefined) throw new AppError('not_found', 'There is no such channel, or it cannot be configured yet.');
  return { channel, form };
}

function shown(channel: Channel, settings: ChannelSettings | null) {
  if (settings === null) return { channel, status: 'not_configured', settings: {} };
  const secrets = Object.fromEntries(Object.keys(settings.secrets ?? {}).map((field) => [field, HIDDEN]));
  return { channel, status: settings.status, testedAt: settings.testedAt, settings: { ...settings.settings, ...secrets } };
}
