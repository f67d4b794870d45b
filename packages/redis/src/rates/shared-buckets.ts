import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rate } from '@tidings/contracts';
import type { Redis } from '../client.ts';
import { withinLoopTime } from './loop-timeout.ts';

export type LeaseRequest = {
  readonly bucket: string;
  readonly rate: Rate;
  readonly wanted: number;
  /** How many of the wanted are spent the moment they are there. */
  readonly waiting: number;
  /** What the holder has from before. */
  readonly unspent: number;
  /** What the holder spent without asking, while nobody answered. */
  readonly debt: number;
};
export type Lease = { readonly granted: number; readonly left: number; readonly nextInMs: number };

/** The buckets that all gateways share. */
export interface SharedBuckets {
  /** Never grants more than the bucket has. Rejects soon when nobody answers: requests may be waiting. */
  lease(request: LeaseRequest): Promise<Lease>;
}

/** What is leased and not spent after this is given up; Redis counts on it. */
export const LEASE_MS = 1_000;

const SCRIPT = readFileSync(join(import.meta.dirname, 'take-tokens.lua'), 'utf8');
const SCRIPT_HASH = createHash('sha1').update(SCRIPT).digest('hex');

/** A request may wait this long for Redis; then its gateway counts by itself. */
const TIMEOUT_MS = 100;

/** Buckets in Redis, for one holder. */
export function createSharedBuckets(redis: Redis, holder: string): SharedBuckets {
  const take = async (args: readonly string[]): Promise<unknown> => {
    try {
      return await redis.evalsha(SCRIPT_HASH, 1, ...args);
    } catch (error) {
      // Redis was started anew, and has not seen the script.
      if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return redis.eval(SCRIPT, 1, ...args);
      throw error;
    }
  };
  return {
    async lease({ bucket, rate, wanted, waiting, unspent, debt }) {
      const numbers = [rate.perSecond, rate.burst, wanted].map(String);
      const args = [`tidings:rate:${bucket}`, ...numbers, holder, ...[waiting, unspent, debt, LEASE_MS].map(String)];
      const [granted, left, nextInMicros] = (await withinLoopTime(take(args), TIMEOUT_MS)) as [number, number, number];
      return { granted, left, nextInMs: nextInMicros / 1000 };
    },
  };
}
