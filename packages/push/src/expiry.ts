import { CHANNEL_DESCRIPTORS, LIMITS, type Channel, type PushMessage } from '@tidings/contracts';

/** A message with a ttl of 0 is sent now or never. */
const NOW_OR_NEVER_MS = 60_000;

/** Milliseconds after acceptance during which this message may be handed to its provider. */
export function expiryMs(channel: Channel, message: PushMessage): number {
  const { ttl } = message;
  const { defaultMs, hasTtl } = CHANNEL_DESCRIPTORS[channel].expiry;
  if (!hasTtl || (typeof ttl !== 'number' && typeof ttl !== 'bigint')) return defaultMs;
  return Number(ttl) === 0 ? NOW_OR_NEVER_MS : Math.min(Number(ttl), LIMITS.ttlSecondsMax) * 1000;
}
