import { openText, sealText } from './aes-gcm.ts';
import type { EncryptionKeys } from './encryption-keys.ts';
import { parseAttempt, attemptParts, type AttemptId } from './signed-attempts.ts';
import { signingKeys } from './signing-keys.ts';

/** An attempt and its destination address. */
export type AddressedAttempt = AttemptId & { readonly address: string };

/** Encrypts an attempt and its address into links. Only holders of the key can read the address. */
export interface SealedAddresses {
  /** URL-safe text of 70 characters plus 4/3 of the address length. */
  seal(attempt: AddressedAttempt): string;
  /** Null if anything was changed or the text has another purpose. */
  open(text: string): AddressedAttempt | null;
}

/**
 * @param keys the first encrypts, all decrypt: links outlive a key change
 * @param purpose what the text is for; text with another purpose does not decrypt
 */
export function createSealedAddresses(
  keys: string | EncryptionKeys,
  purpose: string,
): SealedAddresses {
  const [newest, ...older] = signingKeys(keys, `sealed-address|${purpose}`);
  return {
    seal({ address, ...attempt }) {
      const id = attemptParts(attempt).join('.');
      return `${id}.${sealText(newest, address, id).toString('base64url')}`;
    },
    open(text) {
      const [idPart = '', fencePart = '', sealed = '', ...rest] = text.split('.');
      const attempt = parseAttempt([idPart, fencePart]);
      if (attempt === null || rest.length > 0) return null;
      const bytes = Buffer.from(sealed, 'base64url');
      for (const key of [newest, ...older]) {
        try {
          return { ...attempt, address: openText(key, bytes, `${idPart}.${fencePart}`) };
        } catch {
          // Another key, or text that none of the keys encrypted.
        }
      }
      return null;
    },
  };
}
