import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A shorter tag would be easier to forge. */
const OPTIONS = { authTagLength: TAG_BYTES } as const;

/**
 * Encrypts with AES-256-GCM and a random nonce. Returns nonce, ciphertext and tag. `context` is
 * authenticated and not part of the result.
 */
export function sealText(key: Buffer | KeyObject, plain: string, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, OPTIONS).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error if key or context differ, or the bytes were changed */
export function openText(key: Buffer | KeyObject, sealed: Buffer, context: string): string {
  const decipher = createDecipheriv(
    'aes-256-gcm',
    key,
    sealed.subarray(0, NONCE_BYTES),
    OPTIONS,
  ).setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return (
    decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') +
    decipher.final('utf8')
  );
}
