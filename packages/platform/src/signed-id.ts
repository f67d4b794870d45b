import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { EncryptionKeys } from './encryption-keys.ts';
import { signingKeys } from './signing-keys.ts';

/** Signs ids in URLs, so callers cannot forge another id. */
export interface IdSigner {
  /** URL-safe text. The parts must not contain `.`. */
  sign(...parts: readonly string[]): string;
  /** The signed parts; null if anything was changed or the text has another purpose. */
  open(text: string): readonly string[] | null;
}

const SIGNATURE_BYTES = 16;

/**
 * @param keys the first signs, all verify: links outlive a key change
 * @param purpose what the signature is for; one with another purpose is invalid
 */
export function createIdSigner(keys: string | EncryptionKeys, purpose: string): IdSigner {
  const [newest, ...older] = signingKeys(keys, `signed-id|${purpose}`);
  const computeSignature = (text: string, key: KeyObject): Buffer =>
    createHmac('sha256', key).update(text).digest().subarray(0, SIGNATURE_BYTES);
  const isSignature = (given: Buffer, text: string): boolean =>
    [newest, ...older].some((key) => timingSafeEqual(given, computeSignature(text, key)));
  return {
    sign(...parts) {
      const text = parts.join('.');
      const signature = computeSignature(text, newest);
      return `${text}.${signature.toString('base64url')}`;
    },
    open(received) {
      const end = received.lastIndexOf('.');
      if (end < 0) return null;
      const text = received.slice(0, end);
      const given = Buffer.from(received.slice(end + 1), 'base64url');
      return given.length === SIGNATURE_BYTES && isSignature(given, text) ? text.split('.') : null;
    },
  };
}
