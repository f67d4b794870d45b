import { openText, sealText } from './aes-gcm.ts';
import type { EncryptionKeys } from './encryption-keys.ts';
import { attemptOf, attemptParts, type AttemptId } from './signed-attempts.ts';
import { signingKeys } from './signing-keys.ts';

/** An attempt and the address that it went to. */
export type AddressedAttempt = AttemptId & { readonly address: string };

/** Writes into links which attempt a mail was and to which address it went. Only holders of the key can read the address. */
export interface SealedAddresses {
  /** Text that is safe in a URL: 70 characters and a third more than the address. */
  seal(attempt: AddressedAttempt): string;
  /** Null when anything was changed, or sealed for another purpose. */
  open(text: string): AddressedAttempt | null;
}

/**
 * @param keys the first seals, all of them open: links outlive a change of the key
 * @param purpose what the text is for: one that was sealed for another purpose does not open
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
      const attempt = attemptOf([idPart, fencePart]);
      if (attempt === null || rest.length > 0) return null;
      const bytes = Buffer.from(sealed, 'base64url');
      for (const key of [newest, ...older]) {
        try {
          return { ...attempt, address: openText(key, bytes, `${idPart}.${fencePart}`) };
        } catch {
          // Another key, or a text that no key of ours sealed.
        }
      }
      return null;
    },
  };
}
