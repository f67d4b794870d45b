import type { MemberRole } from '@tidings/contracts/members';
import { systemIds } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { emailKey, toMember, type Member, type MemberRow } from './member.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * The roles that the caller may manage: whose members they may change, and which roles they may
 * assign.
 */
export type MemberChanger = { readonly manageableRoles: readonly MemberRole[] };
export type MemberChangeConflict = 'role_protected' | 'last_owner';

/** All members, oldest first. */
export async function listMembers(db: Database): Promise<Member[]> {
  const { rows } = await db.sql.query<MemberRow>(statement('list-members'));
  return rows.map(toMember);
}

export async function readMember(db: Database, memberId: string): Promise<Member | null> {
  const { rows } = await db.sql.query<MemberRow>(statement('read-member'), [memberId]);
  return rows[0] === undefined ? null : toMember(rows[0]);
}

/** A member with the hash of the password; null when no member has this address. */
export async function findMemberByEmail(
  db: Database,
  email: string,
): Promise<{ readonly member: Member; readonly passwordHash: string | null } | null> {
  const { rows } = await db.sql.query<MemberRow & { password_hash: string | null }>(
    statement('find-member-by-email'),
    [emailKey(email)],
  );
  const [row] = rows;
  return row === undefined ? null : { member: toMember(row), passwordHash: row.password_hash };
}

/** Whether there is an owner. Until then the setup link creates one. */
export async function hasOwner(db: Database): Promise<boolean> {
  return (await db.sql.query(statement('find-owner'))).rowCount === 1;
}

/** Adds a member without a password. Null when a member has this address already. @callers api */
export async function addMember(
  db: Database,
  {
    email,
    name,
    role,
  }: { readonly email: string; readonly name: string; readonly role: MemberRole },
): Promise<Member | null> {
  const { rows } = await db.sql.query<MemberRow>(statement('add-member'), [
    systemIds.uuid(),
    emailKey(email),
    name,
    role,
  ]);
  return rows[0] === undefined ? null : toMember(rows[0]);
}

/**
 * Changes name or role. A new role ends the member's sessions and links. Null when there is no such
 * member.
 * @callers api
 */
export function changeMember(
  db: Database,
  memberId: string,
  {
    manageableRoles,
    name,
    role,
  }: MemberChanger & { readonly name?: string; readonly role?: MemberRole },
): Promise<Member | MemberChangeConflict | null> {
  return db.transaction(async (sql) => {
    const before = await lockMember(sql, memberId);
    if (before === null) return null;
    if (
      !manageableRoles.includes(before.role) ||
      (role !== undefined && !manageableRoles.includes(role))
    )
      return 'role_protected';
    if (role !== undefined && role !== 'owner' && before.isLastOwner) return 'last_owner';
    const { rows } = await sql.query<MemberRow>(statement('change-member'), [
      memberId,
      name ?? null,
      role ?? null,
    ]);
    if (role !== undefined && role !== before.role) await revokeSessionsAndLinks(sql, memberId);
    return rows[0] === undefined ? null : toMember(rows[0]);
  });
}

/** Deletes a member with all sessions and links. Null when there is no such member. @callers api */
export function deleteMember(
  db: Database,
  memberId: string,
  { manageableRoles }: MemberChanger,
): Promise<'deleted' | MemberChangeConflict | null> {
  return db.transaction(async (sql) => {
    const before = await lockMember(sql, memberId);
    if (before === null) return null;
    if (!manageableRoles.includes(before.role)) return 'role_protected';
    if (before.isLastOwner) return 'last_owner';
    await sql.query(statement('delete-member'), [memberId]);
    return 'deleted';
  });
}

/**
 * Ends a member's sessions and deletes the links that could start new ones. An old invitation must
 * not grant the member's current rights.
 * @callers accounts
 */
export async function revokeSessionsAndLinks(sql: Sql, memberId: string): Promise<void> {
  await sql.query(statement('revoke-sessions-and-links'), [memberId]);
}

/**
 * Sets the password hash. With `endsSessions` it ends all sessions: pass it for a new password, but
 * not for a new hash of the same one.
 * @callers api
 */
export async function setPassword(
  db: Database,
  memberId: string,
  { passwordHash, endsSessions }: { readonly passwordHash: string; readonly endsSessions: boolean },
): Promise<void> {
  await db.transaction(async (sql) => {
    await sql.query(statement('set-password'), [memberId, passwordHash]);
    if (endsSessions) await revokeSessionsAndLinks(sql, memberId);
  });
}

/**
 * Locks the member and all owners, in the order of ids. Of two owners who leave concurrently, the
 * second sees that the first has left.
 * @callers accounts
 */
export async function lockMember(
  sql: Sql,
  memberId: string,
): Promise<{ readonly role: MemberRole; readonly isLastOwner: boolean } | null> {
  const { rows } = await sql.query<{ id: string; role: MemberRole }>(
    statement('lock-member-and-owners'),
    [memberId],
  );
  const own = rows.find(({ id }) => id === memberId);
  if (own === undefined) return null;
  return {
    role: own.role,
    isLastOwner: own.role === 'owner' && rows.filter(({ role }) => role === 'owner').length === 1,
  };
}
