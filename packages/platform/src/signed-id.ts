import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { EncryptionKeys } from './encryption-keys.ts';
import { signingKeys } from './signing-keys.ts';

/** Writes ids into addresses that come back from outside, so that nobody can name another one. */
export interface IdSigner {
  /** Text that is safe in a URL. The parts hold no `.`. */
  sign(...parts: readonly string[]): string;
  /** The parts that were signed; null when anything was changed, or signed for another purpose. */
  open(text: string): readonly string[] | null;
}

const SIGNATURE_BYTES = 16;

/**
 * @param keys the first signs, all of them open: links outlive a change of the key
 * @param purpose what the signature is for: one made for another purpose does not open
 */
export function createIdSigner(keys: string | EncryptionKeys, purpose: string): IdSigner {
  const [newest, ...older] = signingKeys(keys, `signed-id|${purpose}`);
  const signatureOf = (text: string, key: KeyObject): Buffer =>
    createHmac('sha256', key).update(text).digest().subarray(0, SIGNATURE_BYTES);
  const isSignature = (given: Buffer, text: string): boolean =>
    [newest, ...older].some((key) => timingSafeEqual(given, signatureOf(text, key)));
  return {
    sign(...parts) {
      const text = parts.join('.');
      const signature = signatureOf(text, newest);
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
