import { listSendingChannels } from '@tidings/accounts/channel-settings';
import type { AnswerOf } from '@tidings/api-spec/endpoint';
import {
  deleteUserEndpoint,
  exportUserEndpoint,
  listHeldEventsEndpoint,
  listUserEventsEndpoint,
  listUsersEndpoint,
  readTimelineEndpoint,
  readUserEndpoint,
  resolveUsersEndpoint,
} from '@tidings/api-spec/endpoints/users';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { LONG_MAX, LONG_MIN } from '@tidings/contracts/limits';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import { listUserEvents } from '@tidings/events/user-events';
import { readCalledNumbers } from '@tidings/people/called-numbers';
import { listUserDevices } from '@tidings/people/devices/devices';
import { readDeviceKinds } from '@tidings/people/devices/device-kinds';
import { unreachableReason } from '@tidings/people/reachability';
import { readSuppressedChannels } from '@tidings/people/suppressions';
import { readUserIds } from '@tidings/people/user-ids';
import { readUser } from '@tidings/people/users';
import { AppError, isUuid } from '@tidings/platform';
import { deleteUser } from '@tidings/user-data/delete-user';
import { exportUser } from '@tidings/user-data/export-user';
import { listHeldEvents } from '../../queries/users/list-held-events.ts';
import { parseTimelineCursor, readTimeline } from '../../queries/timeline/timeline.ts';
import { searchInTime } from '../../http/search-in-time.ts';
import { resolveUsers } from '../../queries/users/resolve-users.ts';
import { searchUsers } from '../../queries/users/search-users.ts';
import { getApplicationId, getSettings } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { ANSWERED, defineRoute, type Route } from '../../http/route.ts';
import { readPage, readUserPage, toUserCursor } from '../../http/page.ts';
import { toListedDevice } from './listed-device.ts';
import { sendExport } from './send-export.ts';

/** Whether it is a cursor of `listUserEvents`: time, request id and index. */
function isEventCursor(text: string): boolean {
  const [, time, requestId] = /^(-?\d{1,19})_([^_]+)_\d{1,4}$/.exec(text) ?? [];
  return (
    time !== undefined &&
    requestId !== undefined &&
    BigInt(time) >= LONG_MIN &&
    BigInt(time) <= LONG_MAX &&
    isUuid(requestId)
  );
}

/** Registered users: search, profile, events, timeline, export, deletion. */
export function userRoutes({ db, clock, inTime }: ApiDependencies): Route[] {
  return [
    defineRoute(listUsersEndpoint, async ({ res, query }) => {
      const { items, nextCursor } = await searchUsers(db, {
        applicationId: getApplicationId(res),
        ...readUserPage(query),
        ...(query.search !== undefined && { search: query.search }),
      });
      return { items, nextCursor: nextCursor === null ? null : toUserCursor(nextCursor) };
    }),
    defineRoute(resolveUsersEndpoint, async ({ res, body: { texts } }) => {
      const applicationId = getApplicationId(res);
      const asked = { applicationId, defaultCountry: getSettings(res).defaultCountry, texts };
      return {
        items: await searchInTime(inTime, applicationId, (sql) => resolveUsers(sql, asked)),
      };
    }),
    defineRoute(readUserEndpoint, async ({ res, params }) => {
      const applicationId = getApplicationId(res);
      const { userId, phoneE164, ...user } = found(
        await readUser(db, applicationId, String(params['customUserId'])),
      );
      const [sending, suppressed, deviceKinds, devices, numbers] = await Promise.all([
        listSendingChannels(db, applicationId),
        readSuppressedChannels(db, userId),
        readDeviceKinds(db.sql, userId),
        listUserDevices(db, userId),
        readCalledNumbers(db.sql, applicationId, [user.customUserId]),
      ]);
      const reachable = reachability(
        { ...user.profile, phoneE164, deviceKinds },
        sending,
        suppressed,
      );
      return {
        ...user,
        reachable: {
          ...reachable,
          SMS: { ...reachable.SMS, ...numbers.get(user.customUserId) },
        },
        devices: devices.map(toListedDevice),
      };
    }),
    defineRoute(listUserEventsEndpoint, async ({ res, params, query }) => {
      const user = found(await readUser(db, getApplicationId(res), String(params['customUserId'])));
      const { events: items, nextCursor } = await listUserEvents(
        db,
        user.userId,
        readPage(query, isEventCursor),
      );
      return { items, nextCursor };
    }),
    defineRoute(readTimelineEndpoint, async ({ res, params, query }) => {
      const applicationId = getApplicationId(res);
      const page = readPage(query, (text) => parseTimelineCursor(text) !== null);
      const user = found(await readUser(db, applicationId, String(params['customUserId'])));
      return readTimeline(db, await readUserIds(db.sql, applicationId, user.customUserId), page);
    }),
    defineRoute(listHeldEventsEndpoint, async ({ res, params, query }) => {
      const held = await listHeldEvents(
        db,
        { applicationId: getApplicationId(res), customUserId: String(params['customUserId']) },
        readPage(query, isEventCursor),
      );
      if (held === null) throw new AppError('not_found', 'This customUserId was never seen.');
      return { items: held.events, nextCursor: held.nextCursor };
    }),
    defineRoute(exportUserEndpoint, async ({ res, params }) => {
      await sendExport(
        res,
        found(await exportUser(db, getApplicationId(res), String(params['customUserId']))),
      );
      return ANSWERED;
    }),
    defineRoute(deleteUserEndpoint, async ({ res, params }) => {
      if (
        !(await deleteUser(db, {
          applicationId: getApplicationId(res),
          customUserId: String(params['customUserId']),
          clock,
        }))
      )
        found(null);
    }),
  ];
}

function found<T>(user: T | null): T {
  if (user === null)
    throw new AppError('not_found', 'No user with this customUserId is registered.');
  return user;
}

type Reachable = AnswerOf<typeof readUserEndpoint>['reachable'];

/** For each channel: whether a send would reach the user now, and if not, why. */
function reachability(
  profile: Readonly<Record<string, unknown>>,
  sending: ReadonlySet<string>,
  suppressed: ReadonlyMap<Channel, DeliveryReason>,
) {
  const of = (channel: Channel): Reachable[Channel] => {
    const reason = unreachableReason(channel, {
      canSend: sending.has(channel),
      profile,
      suppression: suppressed.get(channel) ?? null,
    });
    return reason === null ? { ok: true } : { ok: false, reason };
  };
  return Object.fromEntries(CHANNELS.map((channel) => [channel, of(channel)])) as Reachable;
}
