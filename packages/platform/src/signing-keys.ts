import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { EncryptionKeys } from './encryption-keys.ts';

const KEY_BYTES = 32;

/**
 * Derives the keys of one purpose; the first one signs. They are key objects, which Node prepares
 * once: from bytes it would prepare one per signature, at three times the cost.
 * @throws Error without any key
 */
export function signingKeys(
  keys: string | EncryptionKeys,
  purpose: string,
): readonly [KeyObject, ...KeyObject[]] {
  const [newest, ...older] = (typeof keys === 'string' ? [keys] : keys).map((key) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES))),
  );
  if (newest === undefined) throw new Error('a signer needs at least one key');
  return [newest, ...older];
}
