import type { Channel } from '../channels/channels.ts';
import { CHANNEL_DESCRIPTORS } from '../channels/descriptors.ts';
import { LIMITS } from '../limits.ts';
import type { PushMessage } from './push.ts';

/** The lifetime of a message with a ttl of 0, which means "now or never". */
const NOW_OR_NEVER_MS = 60_000;

/** Milliseconds after acceptance during which the message may be passed to its provider. */
export function expiryMs(channel: Channel, message: PushMessage): number {
  const { ttl } = message;
  const { defaultMs, hasTtl } = CHANNEL_DESCRIPTORS[channel].expiry;
  if (!hasTtl || (typeof ttl !== 'number' && typeof ttl !== 'bigint')) return defaultMs;
  return Number(ttl) === 0 ? NOW_OR_NEVER_MS : Math.min(Number(ttl), LIMITS.ttlSecondsMax) * 1000;
}
