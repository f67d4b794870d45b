import { readDevice, type Device, type DeviceRef } from '@tidings/people/devices/devices';
import type { ClientApiDependencies } from '../dependencies.ts';

/**
 * Runs a change of a device's user. Open connections of the device, on any replica, are still
 * subscribed for the previous user. They are notified, so that messages for the new user
 * arrive at once instead of at the next poll.
 */
export async function changeDeviceUser<T extends Device | null>(
  { db, recheckSubscriptions }: Pick<ClientApiDependencies, 'db' | 'recheckSubscriptions'>,
  device: DeviceRef,
  change: () => Promise<T>,
): Promise<T> {
  const before = await readDevice(db.sql, device);
  const after = await change();
  if (before !== null && before.userId !== after?.userId) recheckSubscriptions(before.userId);
  return after;
}
