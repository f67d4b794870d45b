import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { listenFor } from './listen-for.ts';

const statement = statementsIn(import.meta.dirname);

/** Until the end of the transaction no other changes automations of the application. */
export async function lockAutomations(sql: Sql, applicationId: string): Promise<void> {
  await sql.query(statement('lock-automations'), [applicationId]);
}

/**
 * After a change of what the automations of an application name: its segments, or the events of these.
 * A live segment that asks something else by now is built anew. @callers api
 */
export async function relisten(sql: Sql, applicationId: string): Promise<void> {
  await lockAutomations(sql, applicationId);
  await listenFor(sql, applicationId);
}
