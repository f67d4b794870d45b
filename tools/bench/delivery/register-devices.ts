import type { DeviceChannel } from '@tidings/contracts/channels/device-channels';
import { registerDevice } from '@tidings/people/devices/device-users';
import { systemClock, systemIds } from '@tidings/platform';
import { giveDevices } from '@tidings/testing';
import type { BenchInstallation } from '../installation/bench-installation.ts';
import { createBrowser, subscriptionAt } from './browsers.ts';
import { userOf } from './channels.ts';
import type { Sink } from './sink/start-sink.ts';

type Options = { readonly channel: DeviceChannel; readonly users: number; readonly sink: Sink };

/** Registers a device for each of the first users, with an address at the sink. */
export async function registerDevicesForUsers(
  { db, tenant }: BenchInstallation,
  { channel, users, sink }: Options,
): Promise<void> {
  const addressOf = (user: string): string =>
    channel === 'WEB_PUSH'
      ? JSON.stringify(subscriptionAt(sink.httpUrl, user, createBrowser()))
      : `token-of-${user}`;
  const names = Array.from({ length: users }, (_, index) => userOf(index));
  await giveDevices(db, {
    applicationId: tenant.applicationId,
    channel,
    devices: Object.fromEntries(names.map((user) => [user, [addressOf(user)]])),
  });
  // Refreshes planner statistics after the bulk insert, as in a table that grew slowly.
  await db.sql.query('analyze devices');
}

const REGISTERED_AT_A_TIME = 4;

/** Registers a device without a push address for each of the first users; returns the ids. */
export async function registerDevices(
  { db, tenant: { applicationId } }: BenchInstallation,
  users: number,
): Promise<readonly string[]> {
  const deviceIds = Array.from({ length: users }, () => systemIds.uuid());
  const waiting = deviceIds.map((deviceId, index) => ({ deviceId, customUserId: userOf(index) }));
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      await registerDevice(db, systemClock, {
        applicationId,
        ...next,
        facts: { kind: 'none', address: null },
      });
  };
  await Promise.all(Array.from({ length: REGISTERED_AT_A_TIME }, work));
  return deviceIds;
}
