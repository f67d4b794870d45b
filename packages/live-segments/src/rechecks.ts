import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);
const READ_DUE = definePrepared(statement('read-due-members'));

/** A person whom time alone may have made a member, or none. */
export type DueMember = {
  readonly applicationId: string;
  readonly slug: string;
  readonly userId: string;
};

/** Of one step: of each application, beside others. */
export const RECHECKS_OF_APPLICATION = 100;

/** The people of a shard who are to be asked again now, by turns of applications, `limit` at most. */
export async function readDueMembers(
  sql: Sql,
  { shard, limit, now }: { readonly shard: number; readonly limit: number; readonly now: number },
): Promise<DueMember[]> {
  const { rows } = await sql.query<{ application_id: string; slug: string; user_id: string }>(
    READ_DUE,
    [shard, RECHECKS_OF_APPLICATION, limit, now],
  );
  return rows.map((row) => ({
    applicationId: row.application_id,
    slug: row.slug,
    userId: row.user_id,
  }));
}

/**
 * Of people whose segment is built anew, or is not live any more: they are not asked again.
 * @callers automations
 */
export async function forgetRechecks(
  sql: Sql,
  due: readonly DueMember[],
  now: number,
): Promise<void> {
  if (due.length === 0) return;
  await sql.query(statement('forget-rechecks'), [
    due.map(({ applicationId }) => applicationId),
    due.map(({ slug }) => slug),
    due.map(({ userId }) => userId),
    now,
  ]);
}
