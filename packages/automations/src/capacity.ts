import { LIMITS } from '@tidings/contracts/limits';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { LRUCache } from 'lru-cache';

const statement = statementsIn(import.meta.dirname);

/** Asked once in this time for each application: counting costs more than an entry. */
const KNOWN_FOR_MS = 30_000;
const known = new LRUCache<string, { readonly active: number }>({ max: 1_000, ttl: KNOWN_FOR_MS });

/** Whether an application has as many runs in progress as there may be, by its counters. */
export async function isFull(sql: Sql, applicationId: string): Promise<boolean> {
  let count = known.get(applicationId);
  if (count === undefined) {
    const { rows } = await sql.query<{ active: number }>(statement('count-active-runs'), [
      applicationId,
    ]);
    count = { active: rows[0]?.active ?? 0 };
    known.set(applicationId, count);
  }
  return count.active >= LIMITS.automationRunsMax;
}
