import type { Storage } from './storage.ts';

/** A random UUID (RFC 9562, version 4). `crypto.randomUUID` is missing in insecure contexts. */
export function randomId(): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  return hex.replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, '$1-$2-4$3-8$4-$5');
}

const NAME = 'time';
/** A larger difference means that the clock was corrected since. */
const AHEAD_MS_MAX = 60_000;

/**
 * The current time, but later than any time returned before in this browser: two events of a user
 * with the same time count as duplicates.
 */
export function nextTime(storage: Storage, now: () => number = Date.now): number {
  const present = now();
  const last = Number(storage.get(NAME) ?? 0);
  const time = last >= present && last - present < AHEAD_MS_MAX ? last + 1 : present;
  storage.set(NAME, String(time));
  return time;
}
