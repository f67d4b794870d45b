import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { hashSecret, newSecret } from '../secret-hash.ts';
import { MEMBER_COLUMNS, emailKey, toMember, type Member, type MemberRow } from './member.ts';
import { revokeSessionsAndLinks } from './members.ts';

const DAY_MS = 86_400_000;
const SETUP_LINK_TTL_MS = DAY_MS;
const INVITATION_TTL_MS = 7 * DAY_MS;
/** Any number that no other advisory lock uses. */
const FIRST_OWNER_LOCK = 7_463_846_473;

/**
 * Creates a setup link: its token creates the first owner, once, within 24 hours. Null when there
 * is an owner.
 * @callers install, local
 */
export async function issueSetupLink(db: Database, nowMs: number): Promise<string | null> {
  const token = newSecret('wl');
  const { rowCount } = await db.sql.query(
    `insert into welcome_links (token_hash, expires_at) select $1, $2 where not exists (select 1 from members where role = 'owner')`,
    [hashSecret(token), new Date(nowMs + SETUP_LINK_TTL_MS)],
  );
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
    await sql.query('delete from welcome_links where member_id = $1', [memberId]);
    await sql.query(
      'insert into welcome_links (token_hash, member_id, expires_at) values ($1, $2, $3)',
      [hashSecret(token), memberId, new Date(nowMs + INVITATION_TTL_MS)],
    );
  });
  return token;
}

/** Whether a link is valid now. Checked before the expensive password hash is computed. */
export async function isLinkValid(
  db: Database,
  token: string,
  { isFirst: isSetupLink, nowMs }: { readonly isFirst: boolean; readonly nowMs: number },
): Promise<boolean> {
  const { rowCount } = await db.sql.query(
    `select 1 from welcome_links where token_hash = $1 and expires_at > $2 and (member_id is null) = $3
       and not ($3 and exists (select 1 from members where role = 'owner'))`,
    [hashSecret(token), new Date(nowMs), isSetupLink],
  );
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
    await sql.query('select pg_advisory_xact_lock($1)', [FIRST_OWNER_LOCK]);
    const used = await sql.query(
      `delete from welcome_links where token_hash = $1 and member_id is null and expires_at > $2
         and not exists (select 1 from members where role = 'owner')`,
      [hashSecret(token), new Date(nowMs)],
    );
    if (used.rowCount !== 1) return null;
    await sql.query('delete from welcome_links where member_id is null');
    // The address may belong to a member who signed in through the identity provider; the setup
    // link makes that member owner.
    const { rows } = await sql.query<MemberRow>(
      `insert into members as m (id, email, name, role, password_hash) values ($1, $2, $3, 'owner', $4)
       on conflict (email) do update set name = excluded.name, role = 'owner', password_hash = excluded.password_hash returning ${MEMBER_COLUMNS}`,
      [systemIds.uuid(), emailKey(email), name, passwordHash],
    );
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
    const { rows } = await sql.query<MemberRow>(
      `with used as (delete from welcome_links where token_hash = $1 and expires_at > $2 and member_id is not null returning member_id)
       update members m set name = $3, password_hash = $4 from used where m.id = used.member_id returning ${MEMBER_COLUMNS}`,
      [hashSecret(token), new Date(nowMs), name, passwordHash],
    );
    const [row] = rows;
    if (row === undefined) return null;
    await sql.query('delete from sessions where member_id = $1', [row.id]);
    return toMember(row);
  });
}
