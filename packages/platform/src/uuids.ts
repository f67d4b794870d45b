import { randomFillSync } from 'node:crypto';

/** Filling a page costs little more than filling the bytes of one id. */
const PAGE_BYTES = 4_096;
const SEED_BYTES = 4;
const TAIL_BYTES = 6;
const COUNTER_BITS = 26;
const COUNTER_MAX = 2 ** COUNTER_BITS - 1;
const VERSION = 0x7000;
const VARIANT = 0x8000;
const LOW_BITS = 14;
const LOW_MAX = 2 ** LOW_BITS - 1;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Creates a source of UUIDs of version 7 that sort by creation (RFC 9562, 6.2, methods 1 and 2):
 * 48 bits of milliseconds, a counter of 26 bits that starts at a random value in each millisecond,
 * and 48 random bits. If the clock is set back, ids keep the last millisecond. If the counter
 * overflows, they take the next one early.
 * @param fill fills a page with random bytes
 */
export function createUuids(fill: (page: Buffer) => unknown = randomFillSync): () => string {
  const page = Buffer.alloc(PAGE_BYTES);
  let at = PAGE_BYTES;
  let lastMs = -Infinity;
  let prefix = '';
  let counter = 0;

  /** Returns where `count` unused random bytes start. */
  const take = (count: number): number => {
    if (at + count > PAGE_BYTES) {
      fill(page);
      at = 0;
    }
    at += count;
    return at - count;
  };
  const enter = (ms: number): void => {
    const time = ms.toString(16).padStart(12, '0');
    lastMs = ms;
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-`;
    counter = page.readUInt32BE(take(SEED_BYTES)) & COUNTER_MAX;
  };
  const hexAt = (index: number): string => HEX[page[index] ?? 0] ?? '';

  return () => {
    const now = Date.now();
    if (now > lastMs) enter(now);
    else if (counter === COUNTER_MAX) enter(lastMs + 1);
    else counter += 1;
    const tail = take(TAIL_BYTES);
    // Joined piece by piece: a call of `toString('hex')` costs more than the rest of the id.
    return (
      prefix +
      toHex(VERSION | (counter >>> LOW_BITS)) +
      '-' +
      toHex(VARIANT | (counter & LOW_MAX)) +
      '-' +
      hexAt(tail) +
      hexAt(tail + 1) +
      hexAt(tail + 2) +
      hexAt(tail + 3) +
      hexAt(tail + 4) +
      hexAt(tail + 5)
    );
  };
}

/** Four hexadecimal digits. */
function toHex(word: number): string {
  return (HEX[word >>> 8] ?? '') + (HEX[word & 0xff] ?? '');
}
