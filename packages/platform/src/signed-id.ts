import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Writes ids into addresses that come back from outside, so that nobody can name another one. */
export interface IdSigner {
  /** Text that is safe in a URL. The parts hold no `.`. */
  sign(...parts: readonly string[]): string;
  /** The parts that were signed; null when anything was changed, or signed for another purpose. */
  open(text: string): readonly string[] | null;
}

const SIGNATURE_BYTES = 16;

/** @param purpose what the signature is for: one made for another purpose does not open */
export function createIdSigner(encryptionKey: string, purpose: string): IdSigner {
  const key = Buffer.from(hkdfSync('sha256', encryptionKey, '', `signed-id|${purpose}`, 32));
  const signatureOf = (text: string): Buffer => createHmac('sha256', key).update(text).digest().subarray(0, SIGNATURE_BYTES);
  return {
    sign(...parts) {
      const text = parts.join('.');
      return `${text}.${signatureOf(text).toString('base64url')}`;
    },
    open(signed) {
      const end = signed.lastIndexOf('.');
      if (end < 0) return null;
      const text = signed.slice(0, end);
      const given = Buffer.from(signed.slice(end + 1), 'base64url');
      const isOurs = given.length === SIGNATURE_BYTES && timingSafeEqual(given, signatureOf(text));
      return isOurs ? text.split('.') : null;
    },
  };
}
