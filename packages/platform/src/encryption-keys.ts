import { optionalText, text } from './config.ts';

/** The settings of every service that seals, signs or opens anything. */
export const encryptionConfig = {
  encryptionKey: text(
    'ENCRYPTION_KEY',
    'Seals secrets and signs links; the same for all services, 32 characters or more.',
    { secret: true },
  ),
  previousEncryptionKey: optionalText(
    'ENCRYPTION_KEY_PREVIOUS',
    'The key before the last change: what it sealed and signed still opens.',
    { secret: true },
  ),
} as const;

/** The key that seals and signs, then those that only open any more. */
export type EncryptionKeys = readonly [string, ...string[]];

/** The keys of a service, as its environment names them. */
export function encryptionKeysOf(config: {
  readonly encryptionKey: string;
  readonly previousEncryptionKey: string;
}): EncryptionKeys {
  const { encryptionKey, previousEncryptionKey } = config;
  return previousEncryptionKey === '' ? [encryptionKey] : [encryptionKey, previousEncryptionKey];
}
