import { createHash } from 'node:crypto';
import type { DeviceRef } from './devices.ts';

const HEX_CHARS = 32;

/**
 * The public id of a device, for readers of `/api/v1`. The real id is the device's credential:
 * anyone who reads it can act as the device. The hash does not reveal it.
 */
export function publicDeviceId({ applicationId, deviceId }: DeviceRef): string {
  return `dev_${createHash('sha256').update(`${applicationId}:${deviceId}`).digest('hex').slice(0, HEX_CHARS)}`;
}
