import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Deliveries of a campaign by the account of their last attempt. `delivered` counts in `sent`. */
export type AccountCounts = {
  readonly name: string;
  readonly sent: number;
  readonly delivered: number;
  readonly failed: number;
  readonly unknown: number;
};

/** By name; nothing while the channel has one account. */
export async function countByAccount(
  { sql }: Pick<Database, 'sql'>,
  campaignId: string,
): Promise<AccountCounts[]> {
  const { rows } = await sql.query<AccountCounts>(statement('count-by-account'), [campaignId]);
  return rows;
}
