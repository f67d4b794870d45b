import { CHANNELS, LONG_MAX, LONG_MIN, type Channel } from '@tidings/contracts';
import { listChannelStatuses, listUserEvents, readUser, whyUnreachable, type ChannelStatus, type UserRecord } from '@tidings/db';
import { AppError, isUuid } from '@tidings/platform';
import type { RequestHandler } from 'express';
import { applicationIdOf } from '../../auth/access.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { readPage } from '../page.ts';
import { sendJson, type Route } from '../route.ts';

/** Time, request id and index of an event, as `listUserEvents` gives them. */
function isEventCursor(text: string): boolean {
  const [, time, requestId] = /^(-?\d{1,19})_([^_]+)_\d{1,4}$/.exec(text) ?? [];
  return time !== undefined && requestId !== undefined && BigInt(time) >= LONG_MIN && BigInt(time) <= LONG_MAX && isUuid(requestId);
}

/** Registered users with their profiles and events. */
export function userRoutes({ db }: DashboardDependencies): Route[] {
  const find = async (applicationId: string, customUserId: unknown): Promise<UserRecord> => {
    const user = typeof customUserId === 'string' && !customUserId.includes('\0') ? await readUser(db, applicationId, customUserId) : null;
    if (user === null) throw new AppError('not_found', 'No user with this customUserId is registered.');
    return user;
  };

  const read: RequestHandler = async (req, res) => {
    const applicationId = applicationIdOf(res);
    const { userId: _, ...user } = await find(applicationId, req.params['customUserId']);
    sendJson(res, { ...user, reachable: reachability(user.profile, await listChannelStatuses(db, applicationId)), devices: [] });
  };

  const events: RequestHandler = async (req, res) => {
    const user = await find(applicationIdOf(res), req.params['customUserId']);
    const { events: items, nextCursor } = await listUserEvents(db, user.userId, readPage(req, isEventCursor));
    sendJson(res, { items, nextCursor });
  };

  return [
    { method: 'GET', path: 'users/:customUserId', access: 'reader', handle: read },
    { method: 'GET', path: 'users/:customUserId/events', access: 'reader', handle: events },
  ];
}

/** Per channel whether a send would reach this user now, and if not, why. */
function reachability(profile: Readonly<Record<string, unknown>>, statuses: ReadonlyMap<string, ChannelStatus>) {
  const of = (channel: Channel): { readonly ok: boolean; readonly reason?: string } => {
    const reason = whyUnreachable(channel, statuses.get(channel) ?? 'not_configured', profile);
    return reason === null ? { ok: true } : { ok: false, reason };
  };
  return Object.fromEntries(CHANNELS.map((channel) => [channel, of(channel)]));
}
