import type { Database } from '@tidings/postgres/database';
import { definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { CHUNKS_PER_SWEEP } from './chunks.ts';

const statement = statementsIn(import.meta.dirname);

const CORRECT_FUTURE_TIMES = definePreparedByKeys(statement('correct-future-times'));

/** Rows per table that were written while Postgres' clock was ahead. */
export type FutureRows = {
  readonly campaign_chunks: number;
  readonly deliveries: number;
  readonly delivery_addresses: number;
};

/**
 * Makes chunks due whose times were written while Postgres' clock was ahead. Their rows written
 * then count as due (`IS_DUE`) and policies apply again; other rows keep their times. At most
 * `CHUNKS_PER_SWEEP` chunks. @callers campaigns
 */
export async function correctFutureTimes(db: Database): Promise<FutureRows> {
  const { rows } = await db.sql.query<FutureRows>(CORRECT_FUTURE_TIMES, [CHUNKS_PER_SWEEP]);
  return rows[0] ?? { campaign_chunks: 0, deliveries: 0, delivery_addresses: 0 };
}
