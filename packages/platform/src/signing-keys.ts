import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { EncryptionKeys } from './encryption-keys.ts';

const KEY_BYTES = 32;

/**
 * The keys of one purpose, of which the first signs. As key objects, which Node prepares once: of bytes it makes one for
 * each signature, at three times the cost. @throws Error without any key
 */
export function signingKeys(
  keys: string | EncryptionKeys,
  purpose: string,
): readonly [KeyObject, ...KeyObject[]] {
  const [newest, ...older] = (typeof keys === 'string' ? [keys] : keys).map((key) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES))),
  );
  if (newest === undefined) throw new Error('a signer needs a key');
  return [newest, ...older];
}
