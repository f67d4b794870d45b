import { systemIds } from '@tidings/platform';
import type { Database } from './database.ts';
import { hashSecret, newSecret } from './secret-hash.ts';

/** Makes an administrator token; its text is returned this once and stored only as a hash. @callers install */
export async function createAdminToken(db: Database, { name }: { readonly name: string }): Promise<string> {
  const token = newSecret('at');
  await db.prisma.adminToken.create({ data: { id: systemIds.uuid(), name, tokenHash: hashSecret(token) } });
  return token;
}

/** The name of a live administrator token, or null. */
export async function findAdminToken(db: Database, token: string): Promise<string | null> {
  const found = await db.prisma.adminToken.findUnique({ where: { tokenHash: hashSecret(token) } });
  return found === null || found.revokedAt !== null ? null : found.name;
}

/** Ends an administrator token; one that is not there is none already. @callers install */
export async function revokeAdminToken(db: Database, token: string): Promise<void> {
  await db.prisma.adminToken.updateMany({ where: { tokenHash: hashSecret(token), revokedAt: null }, data: { revokedAt: new Date() } });
}
