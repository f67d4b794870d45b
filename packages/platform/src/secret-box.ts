import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A shorter tag would be easier to forge. */
const OPTIONS = { authTagLength: TAG_BYTES } as const;

/** Encrypts settings at rest: AES-256-GCM, bound to the row it stands in. */
export interface SecretBox {
  /** `context` names the row (application and channel): a sealed text moved to another row does not open. */
  seal(plain: string, context: string): string;
  /** @throws Error when the key or the context is another, or the text was changed */
  open(sealed: string, context: string): string;
}

const KEY_CHARS_MIN = 32;

/** @param key at least 32 characters of secret text @throws Error when it is shorter */
export function createSecretBox(key: string): SecretBox {
  if (key.length < KEY_CHARS_MIN) throw new Error(`the encryption key needs ${KEY_CHARS_MIN} characters or more`);
  const keyBytes = createHash('sha256').update(key).digest();
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keyBytes, nonce, OPTIONS).setAAD(Buffer.from(`${VERSION}|${context}`));
      const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${sealed.toString('base64url')}`;
    },
    open(sealed, context) {
      const [version, encoded] = sealed.split('.');
      if (version !== VERSION || encoded === undefined) throw new Error('a sealed text of an unknown version');
      const bytes = Buffer.from(encoded, 'base64url');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', keyBytes, nonce, OPTIONS).setAAD(Buffer.from(`${VERSION}|${context}`));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
