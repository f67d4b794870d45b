import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { waitForAdvisoryLock } from '@tidings/postgres/with-advisory-lock';
import { hashSecret, newSecret } from '../secret-hash.ts';
import { emailKey, toMember, type Member, type MemberRow } from './member.ts';
import { revokeSessionsAndLinks } from './members.ts';
import { endSessionsOf } from './sessions.ts';

const statement = statementsIn(import.meta.dirname);

const DAY_MS = 86_400_000;
const SETUP_LINK_TTL_MS = DAY_MS;
const INVITATION_TTL_MS = 7 * DAY_MS;

/**
 * Creates a setup link: its token creates the first owner, once, within 24 hours. Null when there
 * is an owner.
 * @callers install, local
 */
export async function issueSetupLink(db: Database, nowMs: number): Promise<string | null> {
  const token = newSecret('wl');
  const { rowCount } = await db.sql.query(statement('issue-setup-link'), [
    hashSecret(token),
    new Date(nowMs + SETUP_LINK_TTL_MS),
  ]);
  return rowCount === 1 ? token : null;
}

/**
 * Creates an invitation: its token lets the member set a password, once, within 7 days. Earlier
 * invitations of the member become invalid.
 * @callers api
 */
export async function issueInvitation(
  db: Database,
  memberId: string,
  nowMs: number,
): Promise<string> {
  const token = newSecret('wl');
  await db.transaction(async (sql) => {
    await sql.query(statement('delete-links-of-member'), [memberId]);
    await sql.query(statement('issue-invitation'), [
      hashSecret(token),
      memberId,
      new Date(nowMs + INVITATION_TTL_MS),
    ]);
  });
  return token;
}

/** Whether a link is valid now. Checked before the expensive password hash is computed. */
export async function isLinkValid(
  db: Database,
  token: string,
  { isFirst: isSetupLink, nowMs }: { readonly isFirst: boolean; readonly nowMs: number },
): Promise<boolean> {
  const { rowCount } = await db.sql.query(statement('find-valid-link'), [
    hashSecret(token),
    new Date(nowMs),
    isSetupLink,
  ]);
  return rowCount === 1;
}

type Person = { readonly name: string; readonly passwordHash: string };

/**
 * Creates the first owner and deletes all setup links. Null when the link is invalid or there is an
 * owner already.
 * @callers api
 */
export function acceptSetupLink(
  db: Database,
  token: string,
  { email, name, passwordHash, nowMs }: Person & { readonly email: string; readonly nowMs: number },
): Promise<Member | null> {
  return db.transaction(async (sql) => {
    await waitForAdvisoryLock(sql, 'firstOwner');
    const used = await sql.query(statement('use-setup-link'), [hashSecret(token), new Date(nowMs)]);
    if (used.rowCount !== 1) return null;
    await sql.query(statement('delete-setup-links'));
    const { rows } = await sql.query<MemberRow>(statement('add-first-owner'), [
      systemIds.uuid(),
      emailKey(email),
      name,
      passwordHash,
    ]);
    const [row] = rows;
    if (row === undefined) return null;
    // Sessions and links were granted for the previous role.
    await revokeSessionsAndLinks(sql, row.id);
    return toMember(row);
  });
}

/**
 * Sets the password of the invited member and ends the member's sessions. Null when the link is
 * invalid.
 * @callers api
 */
export function acceptInvitation(
  db: Database,
  token: string,
  { name, passwordHash, nowMs }: Person & { readonly nowMs: number },
): Promise<Member | null> {
  return db.transaction(async (sql) => {
    const { rows } = await sql.query<MemberRow>(statement('accept-invitation'), [
      hashSecret(token),
      new Date(nowMs),
      name,
      passwordHash,
    ]);
    const [row] = rows;
    if (row === undefined) return null;
    await endSessionsOf(sql, row.id);
    return toMember(row);
  });
}
