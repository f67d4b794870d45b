import type { MemberRole } from '@tidings/contracts/members';
import { systemIds } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { waitForAdvisoryLock } from '@tidings/postgres/with-advisory-lock';
import { emailKey, toMember, type Member, type MemberRow } from './member.ts';
import { revokeSessionsAndLinks, lockMember } from './members.ts';
import { endSessionsOf } from './sessions.ts';

const statement = statementsIn(import.meta.dirname);

/** A person authenticated by the identity provider. */
export type Identity = {
  /** Issuer and subject of the ID token. */
  readonly identity: string;
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly name: string;
  /** Derived from the groups in the ID token by the operator's mapping. */
  readonly role: MemberRole;
};

/**
 * The member for an identity: who signed in with it before, else who has the same verified e-mail
 * address. Otherwise creates a member.
 *
 * The provider sets the role at every sign-in, but never demotes the last owner. `email_taken`:
 * another member has the address, and the provider has not verified it.
 * @callers api
 */
export function admitIdentity(db: Database, found: Identity): Promise<Member | 'email_taken'> {
  return db.transaction(async (sql) => {
    // Two concurrent first sign-ins must not create two members.
    await waitForAdvisoryLock(sql, 'signIns');
    const known = await findKnown(sql, found);
    if (known === 'email_taken') return known;
    if (known === null) {
      const values = [
        systemIds.uuid(),
        emailKey(found.email),
        found.name,
        found.role,
        found.identity,
      ];
      return toMember(await onlyRow(sql, statement('add-identity'), values));
    }
    const role = known.isLastOwner ? 'owner' : found.role;
    if (role !== known.role) await endSessionsOf(sql, known.id);
    const values = [known.id, found.identity, found.name, role];
    return toMember(await onlyRow(sql, statement('change-identity'), values));
  });
}

/** The member who signed in with this identity (issuer and subject) before, or null. */
export async function findMemberByIdentity(db: Database, identity: string): Promise<Member | null> {
  const { rows } = await db.sql.query<MemberRow>(statement('find-member-by-identity'), [identity]);
  return rows[0] === undefined ? null : toMember(rows[0]);
}

/**
 * Removes the access of a member who no longer has a role at the identity provider. Ends sessions
 * and links, deletes the password and sets the role `viewer`, until the provider or an invitation
 * grants another role.
 *
 * The last owner keeps role and password and loses only the sessions and links: no other member
 * could restore the access. Null when there is no such member.
 * @callers api
 */
export function revokeRole(db: Database, memberId: string): Promise<Member | null> {
  return db.transaction(async (sql) => {
    const before = await lockMember(sql, memberId);
    if (before === null) return null;
    await revokeSessionsAndLinks(sql, memberId);
    const { isLastOwner } = before;
    const { rows } = await sql.query<MemberRow>(statement('revoke-role'), [memberId, isLastOwner]);
    return rows[0] === undefined ? null : toMember(rows[0]);
  });
}

type Known = { readonly id: string; readonly role: MemberRole; readonly isLastOwner: boolean };

/**
 * Locks the owners too, in the order of ids like every change of members, so that concurrent
 * changes cannot deadlock.
 */
async function findKnown(sql: Sql, found: Identity): Promise<Known | 'email_taken' | null> {
  const { rows } = await sql.query<{
    id: string;
    email: string;
    role: MemberRole;
    identity: string | null;
  }>(statement('lock-known-members-and-owners'), [found.identity, emailKey(found.email)]);
  const byEmail = rows.find(({ email }) => email === emailKey(found.email));
  const known = rows.find(({ identity }) => identity === found.identity) ?? byEmail;
  if (known === undefined) return null;
  if (known.identity !== found.identity && (known.identity !== null || !found.isEmailVerified))
    return 'email_taken';
  return {
    ...known,
    isLastOwner: known.role === 'owner' && rows.filter(({ role }) => role === 'owner').length === 1,
  };
}

async function onlyRow(sql: Sql, text: string, values: readonly unknown[]): Promise<MemberRow> {
  const { rows } = await sql.query<MemberRow>(text, [...values]);
  const [row] = rows;
  if (row === undefined) throw new Error('the locked member no longer exists');
  return row;
}
