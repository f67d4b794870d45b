import { randomBytes } from 'node:crypto';
import { createUuids } from './uuids.ts';

/**
 * Creates UUIDs of version 7. Ids of one process sort by creation, also within a millisecond. If
 * its clock is set back, ids stay ahead until the clock catches up.
 */
export interface Ids {
  uuid(): string;
}

export const systemIds: Ids = { uuid: createUuids() };

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` characters of 0-9A-Za-z from the system's random source, without bias. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 × 62: bytes above it would favour the first characters.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether `text` has the form of a UUID, of any version. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
