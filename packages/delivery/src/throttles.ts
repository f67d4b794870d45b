import { itemAt } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { plan, type Pace } from './pace.ts';

const statement = statementsIn(import.meta.dirname);
const LOCK = definePrepared(statement('lock-throttle'));
const MOVE = definePrepared(statement('move-throttle'));

/** A run that is about to send. `isHeld`: it has waited for this. */
export type Sender = { readonly runId: string; readonly isHeld: boolean };

/** A transaction has the row until its commit: another one tries again, and does not wait for that. */
const LOCK_TIMEOUT_MS = 1_000;

/**
 * When each of some runs of an automation sends: now, or at an instant that is its own. Until the
 * commit, other transactions wait for the row, a second at most. @callers automations
 * @throws DatabaseError for which `isLockTimeout` is true
 */
export async function reserve(
  sql: Sql,
  {
    automationId,
    applicationId,
  }: { readonly automationId: string; readonly applicationId: string },
  {
    pace,
    now,
    senders,
  }: { readonly pace: Pace; readonly now: number; readonly senders: readonly Sender[] },
): Promise<Map<string, number>> {
  await sql.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  const { rows } = await sql.query<{ next_ms: number; sent_ms: number; spacing_ms: number }>(LOCK, [
    automationId,
    applicationId,
  ]);
  await sql.query('set local lock_timeout = default');
  const row = itemAt(rows, 0);
  const held = senders.filter(({ isHeld }) => isHeld);
  const fresh = senders.filter(({ isHeld }) => !isHeld);
  const given = plan(
    { nextMs: row.next_ms, sentMs: row.sent_ms, spacingMs: row.spacing_ms },
    { held: held.length, fresh: fresh.length },
    { now, pace },
  );
  const { nextMs, sentMs, spacingMs } = given.planned;
  await sql.query(MOVE, [automationId, nextMs, sentMs, spacingMs]);
  return new Map([
    ...held.map(({ runId }, index) => [runId, itemAt(given.held, index)] as const),
    ...fresh.map(({ runId }, index) => [runId, itemAt(given.fresh, index)] as const),
  ]);
}

/** An automation without runs sends no more. @callers automations */
export async function forgetThrottle(sql: Sql, automationId: string): Promise<void> {
  await sql.query(statement('delete-throttle'), [automationId]);
}
