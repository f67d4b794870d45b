import { CHUNK_ROWS_MAX } from '@tidings/contracts/ingest/records';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Time from acceptance to send, in milliseconds. */
export type SendLatency = { readonly p50Ms: number; readonly p95Ms: number };

/** 50 chunks are 10,000 deliveries: some milliseconds of Postgres for any campaign size. */
const CHUNKS_MAX = 50;

export type TimedCampaign = { readonly id: string; readonly recipientsUnique: number };

/**
 * Send latencies so far, by campaign id; campaigns without sends are absent. Samples every n-th
 * chunk of a large campaign; chunks are sent roughly in order, so the sample covers its whole
 * duration. Exact figures are stored when a campaign completes.
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

/** Maximum deliveries in the sample. */
export function sampledDeliveries(recipientsUnique: number): number {
  return Math.min(recipientsUnique, sampledChunks(recipientsUnique).length * CHUNK_ROWS_MAX);
}

function sampledChunks(recipientsUnique: number): readonly number[] {
  const chunks = Math.ceil(recipientsUnique / CHUNK_ROWS_MAX);
  const step = Math.ceil(chunks / CHUNKS_MAX);
  return Array.from({ length: Math.ceil(chunks / step) }, (_, index) => index * step);
}
