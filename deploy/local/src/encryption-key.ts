import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const KEY_BYTES = 32;

/**
 * The encryption key of provider secrets; created once and kept, since stored secrets cannot be
 * decrypted without it.
 */
export function ensureEncryptionKey(file: string): string {
  if (!existsSync(file))
    writeFileSync(file, randomBytes(KEY_BYTES).toString('base64'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

/**
 * Password of the demonstration application at the sandbox's SMTP server; authenticates its bounce
 * reports.
 */
export function deriveBounceSecret(encryptionKey: string): string {
  return createHmac('sha256', encryptionKey).update('reports from the sandbox').digest('base64url');
}

/**
 * Signing secret for hooks to the sandbox. Derived from the key, so that sandbox and channel agree
 * after every start.
 */
export function deriveHookSecret(encryptionKey: string): string {
  return `whsec_${createHmac('sha256', encryptionKey).update('hooks to the sandbox').digest('base64')}`;
}
