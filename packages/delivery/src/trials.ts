import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * Logs a decision, and gives those who wait their time to live from now. The caller has locked the
 * campaign, and stores the decision in the same transaction. @callers decisions
 */
export async function logDecision(sql: Sql, campaignId: string, detail: string): Promise<void> {
  await sql.query(statement('log-decision'), [campaignId, detail]);
}

/** Expands those who were held back. @callers decisions */
export async function releaseRest(sql: Sql, campaignId: string): Promise<void> {
  await sql.query(statement('release-rest'), [campaignId]);
}
