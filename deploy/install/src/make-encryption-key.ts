import { ENCRYPTED_ACCOUNT_TABLES } from '@tidings/accounts/encrypted-tables';
import { createSecretBox, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { findSecret } from '@tidings/postgres/reencrypt-secrets';
import { ENCRYPTED_WEBHOOK_TABLE } from '@tidings/webhook-queue/secrets';
import { randomBytes } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';

/** Before 0.1.0 the compose file had it as the default, so everyone knows it. */
export const PUBLIC_KEY = 'only to look at it, never to keep anything';

const KEY_BYTES = 32;
const TABLES = [...ENCRYPTED_ACCOUNT_TABLES, ENCRYPTED_WEBHOOK_TABLE];
const ROTATE =
  'the encryption key is one that everyone knows: rotate it, as docs/operations/secrets.md says';

export type MakeKeyOptions = {
  /** The key that the services have; empty: none. */
  readonly encryptionKey: string;
  /** Where a new key is kept; empty: nowhere. */
  readonly newEncryptionKeyFile: string;
};

/**
 * Makes the encryption key of an installation that has none, in a file that its services read. The
 * database is migrated.
 * @throws Error if the database has secrets of a key that is not known here
 */
export async function makeEncryptionKey(
  db: Database,
  { encryptionKey, newEncryptionKeyFile: file }: MakeKeyOptions,
  logger: Logger,
): Promise<void> {
  if (encryptionKey === PUBLIC_KEY) logger.warn(ROTATE);
  if (encryptionKey !== '' || file === '') return;
  const key = await chooseKey(db);
  writeOnce(file, key);
  if (key === PUBLIC_KEY) logger.warn(ROTATE);
  else logger.info('encryption key made: back it up, no secret can be read without it');
}

/** Secrets that are there already must stay readable. */
async function chooseKey(db: Database): Promise<string> {
  const found = await findSecret(db, createSecretBox(PUBLIC_KEY), TABLES);
  if (found === 'readable') return PUBLIC_KEY;
  if (found === 'unreadable')
    throw new Error(
      'The database has secrets of another encryption key: set ENCRYPTION_KEY to it, or bring its file back.',
    );
  return randomBytes(KEY_BYTES).toString('base64');
}

/** A start that is interrupted leaves no part of a key, and a key that is there stays. */
function writeOnce(file: string, key: string): void {
  const making = `${file}.making`;
  rmSync(making, { force: true });
  writeFileSync(making, `${key}\n`, { mode: 0o600, flush: true });
  linkSync(making, file);
  rmSync(making);
}
