import { CHANNELS, type Channel } from '@tidings/contracts';
import { listChannelStatuses, readChannelSettings, writeChannelSettings, type ChannelSettings } from '@tidings/db';
import { AppError, compileValidator, requestIdOf } from '@tidings/platform';
import type { Request, RequestHandler } from 'express';
import { Type } from 'typebox';
import { applicationIdOf } from '../../auth/access.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { pageOf } from '../page.ts';
import { STORABLE_LINE } from '../plain-text.ts';
import { readValid } from '../read-body.ts';
import { sendJson, type Route } from '../route.ts';
import { CHANNEL_FORMS, type ChannelForm } from './settings-schemas.ts';
import { sendTest } from './test-send.ts';

const HIDDEN = '********';
const validateTest = compileValidator<{ readonly to: string }>(Type.Object({ to: Type.String({ minLength: 1, maxLength: 254, pattern: STORABLE_LINE }) }));

/** Settings of each channel, and the test send that makes a channel ready. */
export function channelRoutes(deps: DashboardDependencies): Route[] {
  const { db, box } = deps;

  const list: RequestHandler = async (req, res) => {
    const statuses = await listChannelStatuses(db, applicationIdOf(res));
    const channels = CHANNELS.map((channel) => ({ channel, status: statuses.get(channel) ?? 'not_configured' }));
    sendJson(res, pageOf(req, channels, ({ channel }) => channel));
  };

  const read: RequestHandler = async (req, res) => {
    const { channel } = channelOf(req);
    sendJson(res, shown(channel, await readChannelSettings(db, box, { applicationId: applicationIdOf(res), channel })));
  };

  const write: RequestHandler = async (req, res) => {
    const applicationId = applicationIdOf(res);
    const { channel, form } = channelOf(req);
    const input = readValid(form.validate, req.body);
    const before = await readChannelSettings(db, box, { applicationId, channel });
    const masked = form.secretFields.filter((field) => input[field] === HIDDEN);
    if (masked.length > 0 && before?.secrets === null) {
      throw new AppError('conflict', 'The stored secrets were sealed with another ENCRYPTION_KEY and cannot be kept: write them anew.');
    }
    const secrets = Object.fromEntries(
      form.secretFields.flatMap((field) => {
        // The mask that was read, written back, keeps the secret.
        const value = masked.includes(field) ? before?.secrets?.[field] : input[field];
        return typeof value === 'string' && value !== '' ? [[field, value]] : [];
      }),
    );
    const settings = Object.fromEntries(Object.entries(input).filter(([field]) => !form.secretFields.includes(field)));
    await writeChannelSettings(db, box, { applicationId, channel, settings, secrets });
    sendJson(res, shown(channel, await readChannelSettings(db, box, { applicationId, channel })));
  };

  const test: RequestHandler = async (req, res) => {
    const applicationId = applicationIdOf(res);
    const { channel, form } = channelOf(req);
    const { to } = readValid(validateTest, req.body);
    if (!form.isTestAddress(to)) {
      throw new AppError('validation_failed', 'A test send goes to one address.', { errors: [{ pointer: '/to', code: 'invalid_value' }] });
    }
    const settings = await readChannelSettings(db, box, { applicationId, channel });
    if (settings === null) throw new AppError('conflict', 'This channel is not configured: PUT its settings first.');
    sendJson(res, await sendTest(deps, { channel, settings, to, actor: String(res.locals['actor']), requestId: requestIdOf(res) }));
  };

  return [
    { method: 'GET', path: 'channels', access: 'application_administrator', handle: list },
    { method: 'GET', path: 'channels/:channel', access: 'application_administrator', handle: read },
    { method: 'PUT', path: 'channels/:channel', access: 'application_administrator', handle: write },
    { method: 'POST', path: 'channels/:channel/test', access: 'application_administrator', handle: test },
  ];
}

function channelOf(req: Request): { readonly channel: Channel; readonly form: ChannelForm } {
  const channel = CHANNELS.find((name) => name === req.params['channel']);
  const form = channel && CHANNEL_FORMS[channel];
  if (channel === undefined || form === undefined) throw new AppError('not_found', 'There is no such channel, or it cannot be configured yet.');
  return { channel, form };
}

function shown(channel: Channel, settings: ChannelSettings | null) {
  if (settings === null) return { channel, status: 'not_configured', settings: {} };
  const secrets = Object.fromEntries(Object.keys(settings.secrets ?? {}).map((field) => [field, HIDDEN]));
  return { channel, status: settings.status, testedAt: settings.testedAt, settings: { ...settings.settings, ...secrets } };
}
