import type { Device } from '@tidings/people/devices/devices';
import { publicDeviceId } from '@tidings/people/devices/public-device-id';

/** A device as a reader of its user sees it: whether it is reached, and neither by what nor by its id, which is its credential. */
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
