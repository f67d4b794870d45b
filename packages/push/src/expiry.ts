import { LIMITS, type Channel, type PushMessage } from '@tidings/contracts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A message with a ttl of 0 is sent now or never. */
const NOW_OR_NEVER_MS = 60_000;

/** How long a delivery without a ttl of its own may wait to be handed over. */
const EXPIRY_MS = {
  SMS: DAY_MS,
  EMAIL: 3 * DAY_MS,
  WEB_PUSH: 28 * DAY_MS,
  APP_PUSH: 30 * DAY_MS,
  WEB_HOOK: 30 * DAY_MS,
  IN_APP: 30 * DAY_MS,
  ON_SITE: 30 * DAY_MS,
} as const satisfies Record<Channel, number>;

/** Milliseconds after acceptance during which this message may be handed to its provider. */
export function expiryMs(channel: Channel, message: PushMessage): number {
  const { ttl } = message;
  if (channel !== 'APP_PUSH' || (typeof ttl !== 'number' && typeof ttl !== 'bigint'))
    return EXPIRY_MS[channel];
  return Number(ttl) === 0 ? NOW_OR_NEVER_MS : Math.min(Number(ttl), LIMITS.ttlSecondsMax) * 1000;
}
