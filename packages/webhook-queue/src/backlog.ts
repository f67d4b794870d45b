import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * How long an enabled endpoint has been behind: since it fails, or since its oldest due webhook
 * waits.
 */
export type LaggingEndpoint = {
  readonly applicationId: string;
  readonly endpointId: string;
  readonly seconds: number;
};

/**
 * The longest time in seconds that a due webhook waited without any attempt for its endpoint; 0
 * when none waits. Slow or failing endpoints are attempted regularly, so their backlog does not
 * count.
 */
export async function readLongestWait(db: Database): Promise<number> {
  const { rows } = await db.sql.query<{ seconds: number }>(statement('read-longest-wait'));
  return Math.max(0, rows[0]?.seconds ?? 0);
}

/** The endpoints that have been behind for more than `minSeconds`, longest first. */
export async function listLaggingEndpoints(
  db: Database,
  { minSeconds, limit }: { readonly minSeconds: number; readonly limit: number },
): Promise<LaggingEndpoint[]> {
  const { rows } = await db.sql.query<LaggingEndpoint>(statement('list-lagging-endpoints'), [
    minSeconds,
    limit,
  ]);
  return rows;
}
