import { randomBase62 } from '@tidings/platform';
import { createHash } from 'node:crypto';

const SECRET_CHARS = 40;

/** A new secret: a prefix that names its kind (`sk_`, `ck_`, `at_`) and 238 random bits. */
export function newSecret(prefix: string): string {
  return `${prefix}_${randomBase62(SECRET_CHARS)}`;
}

/** The stored form of a secret. A fast hash is enough for 238 random bits. */
export function hashSecret(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(secret).digest());
}
