import type { ApplicationSettings } from '@tidings/contracts/application-settings';
import type { KeyType } from '@tidings/contracts/ingest/records';
import { LIMITS } from '@tidings/contracts/limits';
import type { ApiKey as ApiKeyRow } from '@tidings/database/client';
import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { lockApplicationToIssue } from './applications.ts';
import { hashSecret, newSecret } from './secret-hash.ts';

const statement = statementsIn(import.meta.dirname);

const KEY_PREFIXES = { server: 'sk', client: 'ck' } as const satisfies Record<KeyType, string>;
const SHOWN_CHARS = 7;

export type ApiKey = {
  readonly id: string;
  readonly type: KeyType;
  readonly name: string;
  /** The first 7 characters of the key, so that an administrator can recognise it. */
  readonly prefix: string;
  /** Browser origins that may use it as a Client key. Empty means any origin. */
  readonly allowedOrigins: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
};

/** What the gateway needs to know about a valid key and its application. */
export type KeyGrant = {
  readonly keyId: string;
  readonly keyName: string;
  readonly applicationId: string;
  readonly type: KeyType;
  /** Browser origins that may use this Client key. Empty means any origin. */
  readonly allowedOrigins: readonly string[];
  /** Addresses and CIDR networks that requests may come from. Empty means any. */
  readonly allowList: readonly string[];
  readonly settings: ApplicationSettings;
};

/**
 * Creates a key. Its text is returned only here. `too_many` when the application has 16 live keys.
 * @callers api
 */
export async function createApiKey(
  db: Database,
  input: {
    readonly applicationId: string;
    readonly type: KeyType;
    readonly name: string;
    readonly allowedOrigins?: readonly string[];
  },
): Promise<(ApiKey & { readonly key: string }) | 'too_many'> {
  const key = newSecret(KEY_PREFIXES[input.type]);
  return db.transaction(async (sql) => {
    // Locks the application: two concurrent calls must not both take the last free slot.
    await lockApplicationToIssue(sql, input.applicationId);
    const { rows } = await sql.query<ApiKeyColumns>(statement('insert-api-key'), [
      systemIds.uuid(),
      input.applicationId,
      input.type,
      input.name,
      key.slice(0, SHOWN_CHARS),
      hashSecret(key),
      input.allowedOrigins ?? [],
      LIMITS.keysMax,
    ]);
    const [row] = rows;
    return row === undefined ? 'too_many' : { ...toApiKey(row), key };
  });
}

/** The live keys of an application, oldest first. */
export async function listApiKeys(db: Database, applicationId: string): Promise<ApiKey[]> {
  const rows = await (
    await db.prisma()
  ).apiKey.findMany({ where: { applicationId, revokedAt: null }, orderBy: { id: 'asc' } });
  return rows.map(toApiKey);
}

/**
 * Changes a Server key to a Client key; there is no way back. `conflict` when it already is a
 * Client key, null when there is no such live key.
 * @callers api
 */
export async function changeKeyToClient(
  db: Database,
  applicationId: string,
  keyId: string,
): Promise<ApiKey | 'conflict' | null> {
  const { count } = await (
    await db.prisma()
  ).apiKey.updateMany({
    where: { id: keyId, applicationId, type: 'server', revokedAt: null },
    data: { type: 'client' },
  });
  const row = await (
    await db.prisma()
  ).apiKey.findFirst({ where: { id: keyId, applicationId, revokedAt: null } });
  if (row === null) return null;
  return count === 0 ? 'conflict' : toApiKey(row);
}

/** Revokes a key. False when the application has no such live key. @callers api */
export async function revokeApiKey(
  db: Database,
  applicationId: string,
  keyId: string,
): Promise<boolean> {
  const { count } = await (
    await db.prisma()
  ).apiKey.updateMany({
    where: { id: keyId, applicationId, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  return count > 0;
}

/** The grant of a live key of this application; null for any other text. */
export async function findKeyGrant(
  db: Database,
  applicationId: string,
  key: string,
): Promise<KeyGrant | null> {
  const { rows } = await db.sql.query<KeyGrant>(statement('find-key-grant'), [
    hashSecret(key),
    applicationId,
  ]);
  return rows[0] ?? null;
}

/**
 * Records when keys were last used. Skips rows that another gateway has locked or wrote within the
 * last 30 seconds. So gateways never wait for each other, and each key is written about once a
 * minute.
 * @callers access
 */
export async function recordKeyUses(
  db: Database,
  keyIds: readonly string[],
  usedAt: number,
): Promise<void> {
  await db.sql.query(statement('record-key-uses'), [keyIds, new Date(usedAt)]);
}

type ApiKeyColumns = Pick<
  ApiKeyRow,
  'id' | 'type' | 'name' | 'prefix' | 'allowedOrigins' | 'createdAt' | 'lastUsedAt'
>;

function toApiKey(row: ApiKeyColumns): ApiKey {
  return {
    id: row.id,
    type: row.type as KeyType,
    name: row.name,
    prefix: row.prefix,
    allowedOrigins: row.allowedOrigins,
    createdAt: row.createdAt.getTime(),
    lastUsedAt: row.lastUsedAt?.getTime() ?? null,
  };
}
