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
export type SpendRequest = { readonly bucket: string; readonly rate: Rate; readonly spent: number };
export type Lease = { readonly granted: number; readonly left: number; readonly nextInMs: number };

/** The buckets that all gateways share. */
export interface SharedBuckets {
  /** Never grants more than the bucket has. Rejects soon when nobody answers: requests may be waiting. */
  lease(request: LeaseRequest): Promise<Lease>;
  /** Counts what was spent already, or gives back by a negative amount; answers what is left, below 0 where it was too much. Rejects as `lease` does. */
  spend(request: SpendRequest): Promise<number>;
}

/** For a process that counts by itself. */
export const NO_SHARED_BUCKETS: SharedBuckets = {
  lease: () => Promise.reject(new Error('there are no shared buckets')),
  spend: () => Promise.reject(new Error('there are no shared buckets')),
};

/** What is leased and not spent after this is given up; Redis counts on it. */
export const LEASE_MS = 1_000;

type Script = { readonly text: string; readonly hash: string };
const TAKE = scriptOf('take-tokens.lua');
const SPEND = scriptOf('spend-tokens.lua');

/** A request may wait this long for Redis; then its gateway counts by itself. */
const TIMEOUT_MS = 100;

/** Buckets in Redis, for one holder. */
export function createSharedBuckets(redis: Redis, holder: string): SharedBuckets {
  const run = async ({ text, hash }: Script, args: readonly string[]): Promise<unknown> => {
    try {
      return await redis.evalsha(hash, 1, ...args);
    } catch (error) {
      // Redis was started anew, and has not seen the script.
      if (error instanceof Error && error.message.startsWith('NOSCRIPT'))
        return redis.eval(text, 1, ...args);
      throw error;
    }
  };
  return {
    async lease({ bucket, rate, wanted, waiting, unspent, debt }) {
      const numbers = [rate.perSecond, rate.burst, wanted].map(String);
      const args = [
        `tidings:rate:${bucket}`,
        ...numbers,
        holder,
        ...[waiting, unspent, debt, LEASE_MS].map(String),
      ];
      const [granted, left, nextInMicros] = (await withinLoopTime(run(TAKE, args), TIMEOUT_MS)) as [
        number,
        number,
        number,
      ];
      return { granted, left, nextInMs: nextInMicros / 1000 };
    },
    async spend({ bucket, rate, spent }) {
      const args = [`tidings:rate:${bucket}`, ...[rate.perSecond, rate.burst, spent].map(String)];
      return (await withinLoopTime(run(SPEND, args), TIMEOUT_MS)) as number;
    },
  };
}

function scriptOf(file: string): Script {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  return { text, hash: createHash('sha1').update(text).digest('hex') };
}
