import type { AdminToken as AdminTokenRow } from '@tidings/database/client';
import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { hashSecret, newSecret } from './secret-hash.ts';

const statement = statementsIn(import.meta.dirname);

const SHOWN_CHARS = 7;
/** Minimum time between two writes of `last_used_at`. */
const LAST_USE_INTERVAL_MS = 60_000;

export type AdminToken = {
  readonly id: string;
  readonly name: string;
  /** The first 7 characters of the token, so that an administrator can recognise it. */
  readonly prefix: string;
  /** The member who created it; empty for a token created without a session. */
  readonly createdBy: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
};

/**
 * Creates an administrator token. The text is returned only here; the database holds a hash.
 * @callers api, install
 */
export async function createAdminToken(
  db: Database,
  { name, createdBy = '' }: { readonly name: string; readonly createdBy?: string },
): Promise<AdminToken & { readonly token: string }> {
  const token = newSecret('at');
  const row = await (
    await db.prisma()
  ).adminToken.create({
    data: {
      id: systemIds.uuid(),
      name,
      createdBy,
      prefix: token.slice(0, SHOWN_CHARS),
      tokenHash: hashSecret(token),
    },
  });
  return { ...toAdminToken(row), token };
}

/** The tokens that are not revoked, oldest first. */
export async function listAdminTokens(db: Database): Promise<AdminToken[]> {
  return (
    await (
      await db.prisma()
    ).adminToken.findMany({ where: { revokedAt: null }, orderBy: { id: 'asc' } })
  ).map(toAdminToken);
}

/** Revokes a token. False when no live token has this id. @callers api */
export async function revokeAdminToken(db: Database, id: string, nowMs: number): Promise<boolean> {
  return (
    (
      await (
        await db.prisma()
      ).adminToken.updateMany({
        where: { id, revokedAt: null },
        data: { revokedAt: new Date(nowMs) },
      })
    ).count > 0
  );
}

/**
 * The live administrator token with this text, or null. Records the time of use at most once a
 * minute.
 * @callers api
 */
export async function authenticateAdminToken(
  db: Database,
  token: string,
  nowMs: number,
): Promise<Pick<AdminToken, 'id' | 'name'> | null> {
  const { rows } = await db.sql.query<{ id: string; name: string; last_used_at: Date | null }>(
    statement('find-admin-token'),
    [hashSecret(token)],
  );
  const [found] = rows;
  if (found === undefined) return null;
  if ((found.last_used_at?.getTime() ?? 0) < nowMs - LAST_USE_INTERVAL_MS) {
    await db.sql.query(statement('record-admin-token-use'), [found.id, new Date(nowMs)]);
  }
  return { id: found.id, name: found.name };
}

function toAdminToken({
  id,
  name,
  prefix,
  createdBy,
  createdAt,
  lastUsedAt,
}: AdminTokenRow): AdminToken {
  return {
    id,
    name,
    prefix,
    createdBy,
    createdAt: createdAt.getTime(),
    lastUsedAt: lastUsedAt?.getTime() ?? null,
  };
}

/**
 * Revokes an administrator token by its text. An unknown or revoked token is ignored.
 * @callers install
 */
export async function revokeAdminTokenText(db: Database, token: string): Promise<void> {
  await (
    await db.prisma()
  ).adminToken.updateMany({
    where: { tokenHash: hashSecret(token), revokedAt: null },
    data: { revokedAt: new Date() },
  });
}
