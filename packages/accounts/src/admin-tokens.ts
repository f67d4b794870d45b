import type { AdminToken as AdminTokenRow } from '@tidings/database/client';
import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { hashSecret, newSecret } from './secret-hash.ts';

const SHOWN_CHARS = 7;
/** A use is noted about once a minute. */
const LAST_USE_INTERVAL_MS = 60_000;

export type AdminToken = {
  readonly id: string;
  readonly name: string;
  /** The first characters of the token, enough to recognise it. */
  readonly prefix: string;
  /** Who made it; empty where nobody signed in did. */
  readonly createdBy: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
};

/** Makes an administrator token; its text is returned this once and stored only as a hash. @callers api, install */
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

/** The live administrator tokens, oldest first. */
export async function listAdminTokens(db: Database): Promise<AdminToken[]> {
  return (
    await (
      await db.prisma()
    ).adminToken.findMany({ where: { revokedAt: null }, orderBy: { id: 'asc' } })
  ).map(toAdminToken);
}

/** False when there is no such live token. @callers api */
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

/** A live administrator token, or null. Notes the use. @callers api */
export async function authenticateAdminToken(
  db: Database,
  token: string,
  nowMs: number,
): Promise<Pick<AdminToken, 'id' | 'name'> | null> {
  const { rows } = await db.sql.query<{ id: string; name: string; last_used_at: Date | null }>(
    'select id, name, last_used_at from admin_tokens where token_hash = $1 and revoked_at is null',
    [hashSecret(token)],
  );
  const [found] = rows;
  if (found === undefined) return null;
  if ((found.last_used_at?.getTime() ?? 0) < nowMs - LAST_USE_INTERVAL_MS) {
    await db.sql.query('update admin_tokens set last_used_at = $2 where id = $1', [
      found.id,
      new Date(nowMs),
    ]);
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

/** Ends an administrator token by its text; one that is not there is none already. @callers install */
export async function revokeAdminTokenText(db: Database, token: string): Promise<void> {
  await (
    await db.prisma()
  ).adminToken.updateMany({
    where: { tokenHash: hashSecret(token), revokedAt: null },
    data: { revokedAt: new Date() },
  });
}
