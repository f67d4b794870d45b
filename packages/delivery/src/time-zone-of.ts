import { TIME_ZONE_ATTRIBUTE } from '@tidings/contracts';
import { proves } from '@tidings/people/devices/proofs';

const CHARS_MAX = 64;

/**
 * SQL of the time zone where the user `u` is, whatever that text is: what the application says of him, else what his device said,
 * `device` being the SQL of that.
 */
export const timeZoneOf = (device: string): string =>
  `left(coalesce(u.custom_attributes ->> '${TIME_ZONE_ATTRIBUTE}', ${device}), ${CHARS_MAX})`;

/** SQL of the time zone of the device that the user `u` proved, was seen last and has one; no push need reach it. */
export const LAST_DEVICE_TIME_ZONE = `(select w.time_zone from devices w
  where w.time_zone is not null and ${proves('w', 'u.id')} order by w.seen_at desc limit 1)`;
