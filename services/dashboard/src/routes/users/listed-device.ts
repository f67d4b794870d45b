import type { Device } from '@tidings/db';

/** A device as a reader of its user sees it: whether it is reached, and not by what. */
export function toListedDevice({ deviceId, kind, address, serviceUserId, timeZone, locale, createdAt, seenAt }: Device) {
  return { deviceId, kind, reachable: address !== null, serviceUserId, timeZone, locale, createdAt, seenAt };
}
