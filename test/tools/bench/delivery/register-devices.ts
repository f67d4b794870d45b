import type { DeviceChannel } from '@tidings/contracts';
import { registerDevice } from '@tidings/people/devices/device-users';
import { systemClock, systemIds } from '@tidings/platform';
import { giveDevices } from '@tidings/testing';
import type { BenchInstallation } from '../installation/bench-installation.ts';
import { createBrowser, subscriptionAt } from './browsers.ts';
import { userOf } from './channels.ts';
import type { Sink } from './sink/start-sink.ts';

type Options = { readonly channel: DeviceChannel; readonly users: number; readonly sink: Sink };

/** Gives each of the first users a device, which the channel reaches at the sink. */
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
  // As it is found by whoever did not get all of its devices a moment ago.
  await db.sql.query('analyze devices');
}

const REGISTERED_AT_A_TIME = 4;

/** Registers a device that is not pushed to for each of the first users; their ids. */
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
