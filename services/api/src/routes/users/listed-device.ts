import type { Device } from '@tidings/people/devices/devices';
import { publicDeviceId } from '@tidings/people/devices/public-device-id';

/**
 * A device for readers: reachability, but neither the push address nor the device id, which is a
 * credential.
 */
export function toListedDevice({
  applicationId,
  deviceId,
  customUserId,
  kind,
  address,
  serviceUserId,
  timeZone,
  locale,
  createdAt,
  seenAt,
}: Device) {
  const isProved = customUserId !== null;
  const deviceRef = publicDeviceId({ applicationId, deviceId });
  return {
    deviceRef,
    kind,
    reachable: isProved && address !== null,
    serviceUserId,
    isProved,
    timeZone,
    locale,
    createdAt,
    seenAt,
  };
}
