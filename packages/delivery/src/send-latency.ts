import { CHUNK_ROWS_MAX } from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** In milliseconds since the acceptance. */
export type SendLatency = { readonly p50Ms: number; readonly p95Ms: number };

/** 10,000 deliveries: some milliseconds of Postgres, however large the campaign is. */
const CHUNKS_MAX = 50;

type TimedCampaign = { readonly id: string; readonly recipientsUnique: number };

/**
 * From acceptance to hand-over, of what was sent so far, by the campaign's id; a campaign of which nothing was is absent. Of a
 * large one every n-th chunk is looked at: chunks go out about in order, so these are spread over its whole time. When a
 * campaign completes, the exact figures of all its deliveries are stored with it.
 */
export async function sendLatencySoFar(
  sql: Sql,
  campaigns: readonly TimedCampaign[],
): Promise<ReadonlyMap<string, SendLatency>> {
  const { rows } = await sql.query<{ id: string; times: readonly [number, number] | null }>(
    statement('send-latency-so-far'),
    [
      JSON.stringify(
        campaigns.map(({ id, recipientsUnique }) => ({
          id,
          chunks: sampledChunks(recipientsUnique),
        })),
      ),
    ],
  );
  return new Map(
    rows.flatMap(({ id, times }) =>
      times === null
        ? []
        : [[id, { p50Ms: Math.round(times[0]), p95Ms: Math.round(times[1]) }] as const],
    ),
  );
}

/** How many deliveries that looks at, at most. */
export function sampledDeliveries(recipientsUnique: number): number {
  return Math.min(recipientsUnique, sampledChunks(recipientsUnique).length * CHUNK_ROWS_MAX);
}

function sampledChunks(recipientsUnique: number): readonly number[] {
  const chunks = Math.ceil(recipientsUnique / CHUNK_ROWS_MAX);
  const step = Math.ceil(chunks / CHUNKS_MAX);
  return Array.from({ length: Math.ceil(chunks / step) }, (_, index) => index * step);
}
