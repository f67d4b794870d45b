import {
  sendLatencySoFar,
  type SendLatency,
  type TimedCampaign,
} from '@tidings/delivery/send-latency';
import type { Clock } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { LRUCache } from 'lru-cache';

/** A report is read often while a campaign runs, and its percentiles take 11 ms of Postgres. */
const AGE_MAX_MS = 5_000;
/** More campaigns than are watched at a time; an entry takes some 300 bytes. */
const CAMPAIGNS_MAX = 1_000;

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
