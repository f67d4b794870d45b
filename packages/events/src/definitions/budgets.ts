import { LIMITS, type KeyType } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** New definitions that an application may have now, by the type of the key that sends the name first. */
export type RemainingBudget = Readonly<Record<KeyType, number>>;

/**
 * Both budgets of each application. Exact while the caller has the applications locked; without the lock, a budget
 * without room stays so for the moment. @callers events
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

/** Takes tokens for definitions that Client keys made, by application; the caller has the applications locked. @callers events */
export async function spendClientTokens(
  sql: Sql,
  spent: ReadonlyMap<string, number>,
): Promise<void> {
  if (spent.size === 0) return;
  await sql.query(statement('spend-client-tokens'), [[...spent.keys()], [...spent.values()]]);
}

/** Live definitions of an application in each budget. */
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
