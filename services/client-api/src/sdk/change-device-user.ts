import { readDevice, type Device, type DeviceRef } from '@tidings/people/devices/devices';
import type { ClientApiDependencies } from '../dependencies.ts';

/**
 * Changes whose a device is. Connections of it may stand, here or at another replica, as those of who it was: whoever holds
 * one is told to look again, so that what waits for the person who came does not wait for the next look.
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
