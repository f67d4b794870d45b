import { connectDatabase } from '@tidings/postgres/database';
import { PUBLIC_ROLE } from '@tidings/postgres/public-role';
import { randomBytes } from 'node:crypto';

const WITHIN_MS = 10_000;

/**
 * Creates the database role of the internet-facing services if missing, and sets a new password at
 * each start. Resolves with its URL.
 */
export async function ensurePublicRole(ownerUrl: string): Promise<string> {
  const password = randomBytes(18).toString('base64url');
  const db = connectDatabase({
    databaseUrl: ownerUrl,
    poolMax: 1,
    applicationName: 'local',
    statementTimeoutMs: WITHIN_MS,
  });
  try {
    await db.sql.query(
      `do $$ begin if not exists (select from pg_roles where rolname = '${PUBLIC_ROLE}') then create role ${PUBLIC_ROLE}; end if; end $$`,
    );
    await db.sql.query(`alter role ${PUBLIC_ROLE} login password '${password}'`);
  } finally {
    await db.close();
  }
  const url = new URL(ownerUrl);
  url.username = PUBLIC_ROLE;
  url.password = password;
  return url.href;
}
