import type { MemberRole } from '@tidings/contracts';
import { systemIds } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { MEMBER_COLUMNS, emailKey, toMember, type Member, type MemberRow } from './member.ts';
import { revokeSessionsAndLinks, lockMember } from './members.ts';

/** One at a time: of two windows of one person only the first finds nobody. Any number that nothing else locks by. */
const SIGN_IN_LOCK = 7_463_846_474;

/** Somebody whom the identity provider vouches for. */
export type Identity = {
  /** Issuer and subject. */
  readonly identity: string;
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly name: string;
  /** By the groups, as the operator maps them. */
  readonly role: MemberRole;
};

/**
 * The member behind an identity: who came by it before; else who has the address, when the provider has verified it; else a
 * new one. The provider decides the role each time, but never takes away the last owner. `email_taken`: the address is
 * somebody's, and not proved. @callers api
 */
export function admitIdentity(db: Database, found: Identity): Promise<Member | 'email_taken'> {
  return db.transaction(async (sql) => {
    await sql.query('select pg_advisory_xact_lock($1)', [SIGN_IN_LOCK]);
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
      return toMember(
        await onlyRow(
          sql,
          `insert into members as m (id, email, name, role, identity) values ($1, $2, $3, $4, $5) returning ${MEMBER_COLUMNS}`,
          values,
        ),
      );
    }
    const role = known.isLastOwner ? 'owner' : found.role;
    if (role !== known.role)
      await sql.query('delete from sessions where member_id = $1', [known.id]);
    const values = [known.id, found.identity, found.name, role];
    return toMember(
      await onlyRow(
        sql,
        `update members m set identity = $2, name = $3, role = $4 where id = $1 returning ${MEMBER_COLUMNS}`,
        values,
      ),
    );
  });
}

/** Who came by an identity (issuer and subject) before; null when nobody did. */
export async function findMemberByIdentity(db: Database, identity: string): Promise<Member | null> {
  const { rows } = await db.sql.query<MemberRow>(
    `select ${MEMBER_COLUMNS} from members m where m.identity = $1`,
    [identity],
  );
  return rows[0] === undefined ? null : toMember(rows[0]);
}

/**
 * Takes what a member may do who has no role at the identity provider any more: the sessions and links end, the password goes,
 * and what is left is the least role, until the provider, or somebody who invites the member anew, gives another. Of the last
 * owner the sessions alone end: nobody else could let him in again. Null: there is no such member. @callers api
 */
export function revokeRole(db: Database, memberId: string): Promise<Member | null> {
  return db.transaction(async (sql) => {
    const before = await lockMember(sql, memberId);
    if (before === null) return null;
    await revokeSessionsAndLinks(sql, memberId);
    const { isLastOwner } = before;
    const { rows } = await sql.query<MemberRow>(
      `update members m set role = case when $2 then role else 'viewer' end, password_hash = case when $2 then password_hash end where id = $1 returning ${MEMBER_COLUMNS}`,
      [memberId, isLastOwner],
    );
    return rows[0] === undefined ? null : toMember(rows[0]);
  });
}

type Known = { readonly id: string; readonly role: MemberRole; readonly isLastOwner: boolean };

/** Locks the owners too, in the order of ids, as whoever else changes members does. */
async function findKnown(sql: Sql, found: Identity): Promise<Known | 'email_taken' | null> {
  const { rows } = await sql.query<{
    id: string;
    email: string;
    role: MemberRole;
    identity: string | null;
  }>(
    `select id, email, role, identity from members where identity = $1 or email = $2 or role = 'owner' order by id for update`,
    [found.identity, emailKey(found.email)],
  );
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

async function onlyRow(
  sql: Sql,
  statement: string,
  values: readonly unknown[],
): Promise<MemberRow> {
  const { rows } = await sql.query<MemberRow>(statement, [...values]);
  const [row] = rows;
  if (row === undefined) throw new Error('a member that was just locked is gone');
  return row;
}
