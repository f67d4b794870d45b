import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rate } from '@tidings/contracts/limits';
import type { Redis } from './client.ts';
import { withinLoopTime } from './loop-timeout.ts';

export type LeaseRequest = {
  readonly bucket: string;
  readonly rate: Rate;
  readonly wanted: number;
  /** Tokens of the request that waiting callers spend at once. */
  readonly waiting: number;
  /** Tokens left from the previous lease. */
  readonly unspent: number;
  /** Tokens spent without Redis while it was unavailable. */
  readonly debt: number;
};
export type SpendRequest = { readonly bucket: string; readonly rate: Rate; readonly spent: number };
export type Lease = { readonly granted: number; readonly left: number; readonly nextInMs: number };

/** Buckets shared by all processes. */
export interface SharedBuckets {
  /**
   * Never grants more than the bucket has. Rejects soon without a response, because requests may
   * wait for it.
   */
  lease(request: LeaseRequest): Promise<Lease>;
  /**
   * Charges tokens already spent; a negative amount refunds. Returns the tokens left, below 0 for
   * debt. Rejects like `lease`.
   */
  spend(request: SpendRequest): Promise<number>;
}

/** Unspent tokens of a lease expire after this time; Redis relies on it. */
export const LEASE_MS = 1_000;

type Script = { readonly text: string; readonly hash: string };
const TAKE = readScript('take-tokens.lua');
const SPEND = readScript('spend-tokens.lua');

/** Maximum time that a request waits for Redis; then its process counts by itself. */
const TIMEOUT_MS = 100;

/** Buckets in Redis for one holder. */
export function createSharedBuckets(redis: Redis, holder: string): SharedBuckets {
  const run = async ({ text, hash }: Script, args: readonly string[]): Promise<unknown> => {
    try {
      return await redis.evalsha(hash, 1, ...args);
    } catch (error) {
      // Redis restarted and does not have the script.
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

function readScript(file: string): Script {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  return { text, hash: createHash('sha1').update(text).digest('hex') };
}
