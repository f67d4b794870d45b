import { optionalText, text } from './config.ts';

/** Settings of every service that encrypts, decrypts or signs. */
export const encryptionConfig = {
  encryptionKey: text(
    'ENCRYPTION_KEY',
    'Encrypts stored secrets and signs links. The same for all services; at least 32 characters.',
    { secret: true },
  ),
  previousEncryptionKey: optionalText(
    'ENCRYPTION_KEY_PREVIOUS',
    'The previous key. Secrets and links made with it stay valid.',
    { secret: true },
  ),
} as const;

/** The key that encrypts and signs, then older keys, which only decrypt and verify. */
export type EncryptionKeys = readonly [string, ...string[]];

/** The keys of a service from its settings. */
export function readEncryptionKeys(config: {
  readonly encryptionKey: string;
  readonly previousEncryptionKey: string;
}): EncryptionKeys {
  const { encryptionKey, previousEncryptionKey } = config;
  return previousEncryptionKey === '' ? [encryptionKey] : [encryptionKey, previousEncryptionKey];
}
