import type { KeyType } from '@tidings/contracts/ingest/records';
import { LIMITS } from '@tidings/contracts/limits';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * New definitions that an application may still create, by the type of the key that sends the name
 * first.
 */
export type RemainingBudget = Readonly<Record<KeyType, number>>;

/**
 * The remaining budgets of each application. Exact while the caller holds the applications' locks.
 * Without the lock, an exhausted budget may be stale only for a moment.
 * @callers events
 */
export async function readRemainingBudget(
  sql: Sql,
  applicationIds: readonly string[],
): Promise<ReadonlyMap<string, RemainingBudget>> {
  const { rows } = await sql.query<{
    id: string;
    server: number;
    client: number;
    tokens: number;
    may_client: boolean;
  }>(statement('read-remaining-budget'), [applicationIds]);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        server: Math.max(0, LIMITS.definitionsMax - row.server),
        client: row.may_client
          ? Math.max(0, Math.min(LIMITS.clientDefinitionsMax - row.client, Math.floor(row.tokens)))
          : 0,
      },
    ]),
  );
}

/**
 * Deducts tokens for definitions created by Client keys, by application. The caller must hold the
 * applications' locks.
 * @callers events
 */
export async function spendClientTokens(
  sql: Sql,
  spent: ReadonlyMap<string, number>,
): Promise<void> {
  if (spent.size === 0) return;
  await sql.query(statement('spend-client-tokens'), [[...spent.keys()], [...spent.values()]]);
}

/** The live definitions of an application in each budget. */
export async function countDefinitions(
  sql: Sql,
  { applicationId }: { readonly applicationId: string },
): Promise<Readonly<Record<KeyType, number>>> {
  const { rows } = await sql.query<{ server: number; client: number }>(
    statement('count-definitions'),
    [applicationId],
  );
  return rows[0] ?? { server: 0, client: 0 };
}
