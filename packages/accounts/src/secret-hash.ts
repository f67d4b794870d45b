import { randomBase62 } from '@tidings/platform';
import { createHash } from 'node:crypto';

const SECRET_CHARS = 40;

/** A new secret of 238 random bits behind a prefix that tells its kind (`sk_`, `ck_`, `at_`). */
export function newSecret(prefix: string): string {
  return `${prefix}_${randomBase62(SECRET_CHARS)}`;
}

/** What is stored of a secret: with this much randomness a plain hash is enough, and fast. */
export function hashSecret(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(secret).digest());
}
