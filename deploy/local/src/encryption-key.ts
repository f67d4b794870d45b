import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const KEY_BYTES = 32;

/** The key that seals providers' secrets in the database; made once and kept, since without it they cannot be read again. */
export function ensureEncryptionKey(file: string): string {
  if (!existsSync(file))
    writeFileSync(file, randomBytes(KEY_BYTES).toString('base64'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

/** By which the reports about the mails of the demonstration application are known: the password that it signs in with at the sandbox. */
export function bounceSecretOf(encryptionKey: string): string {
  return createHmac('sha256', encryptionKey).update('reports from the sandbox').digest('base64url');
}

/** What hooks to the sandbox are signed with: it follows from the key, so that sandbox and channel have the same after every start. */
export function hookSecretOf(encryptionKey: string): string {
  return `whsec_${createHmac('sha256', encryptionKey).update('hooks to the sandbox').digest('base64')}`;
}
