import { createHash } from 'node:crypto';
import type { DeviceRef } from './devices.ts';

const HEX_CHARS = 32;

/**
 * By which readers of `/api/v1` tell devices apart. The id itself is all that a device has to show, so whoever may read it could
 * be the device; from this one it is not found.
 */
export function publicDeviceId({ applicationId, deviceId }: DeviceRef): string {
  return `dev_${createHash('sha256').update(`${applicationId}:${deviceId}`).digest('hex').slice(0, HEX_CHARS)}`;
}
