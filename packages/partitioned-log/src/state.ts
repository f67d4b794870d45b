import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

export type BusKind = 'kafka' | 'postgres';

/** What carries the records of an installation, and whether it takes new ones. */
export type BusState = {
  /** Null: no prepare step has chosen yet. */
  readonly bus: BusKind | null;
  /** False while records move to the other bus. */
  readonly isAccepting: boolean;
};

/** @callers bus, install */
export async function readBusState(sql: Sql): Promise<BusState> {
  const { rows } = await sql.query<BusState>(statement('read-bus-state'));
  return rows[0] ?? { bus: null, isAccepting: true };
}

/** Records the first choice of an installation. Returns what it has. @callers install */
export async function chooseBus(sql: Sql, bus: BusKind): Promise<BusKind> {
  const { rows } = await sql.query<{ bus: BusKind | null }>(statement('choose-bus'), [bus]);
  return rows[0]?.bus ?? bus;
}

/**
 * Closes or opens the installation for new records. From the commit on, no append to a topic of the
 * bus succeeds, also of processes that do not know it. Other topics stay open. @callers install
 */
export function setAccepting(db: Database, isAccepting: boolean): Promise<void> {
  return db.transaction(async (sql) => {
    await sql.query(statement('lock-log-state'));
    await sql.query(statement('lock-heads'));
    await sql.query(statement('close-heads'), [isAccepting]);
    await sql.query(statement('put-accepting'), [isAccepting]);
  });
}

/**
 * Makes the other bus that of the installation. The topics of the bus stay closed in the log unless
 * it takes over. What their groups have not read is dropped when it is left. @callers install
 */
export async function switchBus(sql: Sql, bus: BusKind): Promise<void> {
  await sql.query(statement('lock-log-state'));
  await sql.query(statement('lock-heads'));
  if (bus === 'kafka') await sql.query(statement('skip-unread'));
  await sql.query(statement('close-heads'), [bus === 'postgres']);
  await sql.query(statement('put-bus'), [bus]);
}
