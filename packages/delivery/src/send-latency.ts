import { CHUNK_ROWS_MAX } from '@tidings/contracts/ingest/records';
import type { Clock } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { LRUCache } from 'lru-cache';

const statement = statementsIn(import.meta.dirname);

/** Time from acceptance to send, in milliseconds. */
export type SendLatency = { readonly p50Ms: number; readonly p95Ms: number };

/** 50 chunks are 10,000 deliveries: some milliseconds of Postgres for any campaign size. */
const CHUNKS_MAX = 50;

/** A report is read often while a campaign runs, and its percentiles take 11 ms of Postgres. */
const AGE_MAX_MS = 5_000;
/** More campaigns than are watched at a time; an entry takes some 300 bytes. */
const CAMPAIGNS_MAX = 1_000;

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

/** Finds the send latency of a campaign so far; null before its first send. */
export type FindSendLatency = (sql: Sql, campaign: TimedCampaign) => Promise<SendLatency | null>;

/** Computes it at each call. */
export const findSendLatency: FindSendLatency = async (sql, campaign) =>
  (await sendLatencySoFar(sql, [campaign])).get(campaign.id) ?? null;

/**
 * Computes it at most every 5 s for each campaign, in this process. Calls meanwhile share the
 * computation that runs, or get its result. An error goes to those that share it, and is forgotten.
 */
export function createSendLatencyCache(clock: Pick<Clock, 'monotonicMs'>): FindSendLatency {
  type Entry = { readonly latency: Promise<SendLatency | null>; usableUntil: number };
  const entries = new LRUCache<string, Entry>({ max: CAMPAIGNS_MAX });

  return (sql, campaign) => {
    const known = entries.get(campaign.id);
    const now = clock.monotonicMs();
    if (known !== undefined && known.usableUntil > now) return known.latency;
    // While it is computed no second one begins, however long that takes.
    const entry: Entry = { latency: findSendLatency(sql, campaign), usableUntil: Infinity };
    entries.set(campaign.id, entry);
    const useUntil = (time: number) => () => {
      entry.usableUntil = time;
    };
    entry.latency.then(useUntil(now + AGE_MAX_MS), useUntil(0));
    return entry.latency;
  };
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
