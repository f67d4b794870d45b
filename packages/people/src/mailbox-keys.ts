import { mailboxKey } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * One short step: makes the keys of up to `limit` suppressions and of as many users that have none.
 * An earlier version wrote them, perhaps a moment ago. False when none is left, or when another
 * process has locked all that are.
 * @callers scheduler
 */
export function addMailboxKeys(db: Database, limit: number): Promise<boolean> {
  return db.transaction(async (sql) => {
    const suppressions = await addTo(sql, SUPPRESSIONS, limit);
    const users = await addTo(sql, USERS, limit);
    return suppressions || users;
  });
}

type Owners = { readonly lock: string; readonly write: string };

const SUPPRESSIONS: Owners = {
  lock: statement('lock-suppressions-without-mailbox-key'),
  write: statement('write-suppression-mailbox-keys'),
};
const USERS: Owners = {
  lock: statement('lock-users-without-mailbox-key'),
  write: statement('write-user-mailbox-keys'),
};

/** Whether there may be more. */
async function addTo(sql: Sql, { lock, write }: Owners, limit: number): Promise<boolean> {
  const { rows } = await sql.query<{ id: string; address: string }>(lock, [limit]);
  await sql.query(write, [
    rows.map(({ id }) => id),
    rows.map(({ address }) => mailboxKey(address)),
  ]);
  return rows.length === limit;
}
