import { publicDeviceId, type Device } from '@tidings/db';

/** A device as a reader of its user sees it: whether it is reached, and neither by what nor by its id, which is its credential. */
export function toListedDevice({ applicationId, deviceId, kind, address, serviceUserId, timeZone, locale, createdAt, seenAt }: Device) {
  return { deviceRef: publicDeviceId({ applicationId, deviceId }), kind, reachable: address !== null, serviceUserId, timeZone, locale, createdAt, seenAt };
}
