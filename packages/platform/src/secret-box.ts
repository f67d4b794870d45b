import { createHash } from 'node:crypto';
import { openText, sealText } from './aes-gcm.ts';
import type { EncryptionKeys } from './encryption-keys.ts';

const VERSION = 'v1';

/** Encrypts settings at rest with AES-256-GCM, bound to their row. */
export interface SecretBox {
  /**
   * `context` names the row (application and channel): text moved to another row does not decrypt.
   */
  seal(plain: string, context: string): string;
  /** @throws Error if key or context differ, or the text was changed */
  open(sealed: string, context: string): string;
  /**
   * The same secret encrypted with the newest key; null if it already is. @throws Error as `open`
   * does
   */
  reencrypt(sealed: string, context: string): string | null;
}

const KEY_CHARS_MIN = 32;

/**
 * @param keys each at least 32 characters of secret text; the first encrypts, all decrypt
 * @throws Error if one is shorter
 */
export function createSecretBox(keys: string | EncryptionKeys): SecretBox {
  const keysBytes = (typeof keys === 'string' ? [keys] : keys).map((key) => {
    if (key.length < KEY_CHARS_MIN)
      throw new Error(`the encryption key needs ${KEY_CHARS_MIN} characters or more`);
    return createHash('sha256').update(key).digest();
  });
  const [newest] = keysBytes;
  if (newest === undefined) throw new Error('a secret box needs at least one key');
  /** Decrypts a text and returns which key decrypted it. */
  const openBy = (
    sealed: string,
    context: string,
  ): { readonly plain: string; readonly keyNo: number } => {
    const [version, encoded] = sealed.split('.');
    if (version !== VERSION || encoded === undefined)
      throw new Error('an encrypted text of an unknown version');
    const bytes = Buffer.from(encoded, 'base64url');
    let failure: unknown;
    for (const [keyNo, key] of keysBytes.entries()) {
      try {
        return { plain: openText(key, bytes, contextOf(context)), keyNo };
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure;
  };
  const seal = (plain: string, context: string): string =>
    `${VERSION}.${sealText(newest, plain, contextOf(context)).toString('base64url')}`;
  return {
    seal,
    open: (sealed, context) => openBy(sealed, context).plain,
    reencrypt(sealed, context) {
      const { plain, keyNo } = openBy(sealed, context);
      return keyNo === 0 ? null : seal(plain, context);
    },
  };
}

const contextOf = (context: string): string => `${VERSION}|${context}`;
