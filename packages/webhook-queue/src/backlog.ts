import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** How long an enabled endpoint with waiting webhooks has been behind: it fails, or leaves its oldest due webhook waiting. */
export type LaggingEndpoint = {
  readonly applicationId: string;
  readonly endpointId: string;
  readonly seconds: number;
};

/**
 * The longest time, in seconds, that a due webhook waited while the service attempted nothing for its endpoint; 0 when none waits.
 * An endpoint that is slow or fails is attempted all the time, so that its backlog does not count.
 */
export async function readLongestWait(db: Database): Promise<number> {
  const { rows } = await db.sql.query<{ seconds: number }>(statement('read-longest-wait'));
  return Math.max(0, rows[0]?.seconds ?? 0);
}

/** The endpoints that are behind for longer than `minSeconds`, the longest first. */
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
