import type { Clock } from '@tidings/platform';
import { LEASE_MS, type SharedBuckets } from '../redis/shared-buckets.ts';

type Bucket = {
  tokens: number;
  at: number;
  readonly held: Map<string, { readonly amount: number; readonly until: number }>;
};

/** The rules of `take-tokens.lua` and `spend-tokens.lua` in memory and on a clock that a test holds; `fault` says how it fares. */
export function createModelBuckets(clock: Clock) {
  const buckets = new Map<string, Bucket>();
  const model = {
    /** `lost`: it does what it is asked, and its answer does not arrive. */
    fault: 'none' as 'none' | 'away' | 'lost',
    calls: 0,
    /** While set, answers wait for it. */
    hold: undefined as Promise<void> | undefined,
    clear: () => buckets.clear(),
    of: (holder: string): SharedBuckets => ({
      async lease({ bucket: name, rate, wanted, waiting, unspent, debt }) {
        model.calls += 1;
        if (model.fault === 'away') throw new Error('away');
        const now = clock.monotonicMs();
        const bucket = buckets.get(name) ?? { tokens: rate.burst, at: now, held: new Map() };
        buckets.set(name, bucket);
        const entries = [...bucket.held.values()];
        const [gone, held] = [
          entries.filter(({ until }) => until <= now),
          entries.filter(({ until }) => until > now),
        ];
        const sum = (list: typeof entries): number =>
          list.reduce((total, { amount }) => total + amount, 0);
        const goneAt = Math.max(...gone.map(({ until }) => until));
        if (goneAt > bucket.at) {
          bucket.tokens = Math.min(
            bucket.tokens + ((goneAt - bucket.at) * rate.perSecond) / 1000,
            rate.burst - sum(entries),
          );
          bucket.at = goneAt;
        }
        for (const [who, { until }] of bucket.held) if (until <= now) bucket.held.delete(who);
        const full = rate.burst - Math.max(sum(held), unspent);
        const level = Math.max(
          0,
          Math.min(bucket.tokens + ((now - bucket.at) * rate.perSecond) / 1000, full) - debt,
        );
        const granted = Math.min(wanted, Math.floor(level));
        bucket.tokens = level - granted;
        bucket.at = now;
        bucket.held.set(holder, {
          amount: unspent + Math.max(0, granted - waiting),
          until: now + LEASE_MS,
        });
        if (model.hold !== undefined) await model.hold;
        if (model.fault === 'lost') throw new Error('lost');
        return {
          granted,
          left: Math.floor(bucket.tokens),
          nextInMs: bucket.tokens < 1 ? ((1 - bucket.tokens) / rate.perSecond) * 1000 : 0,
        };
      },
      async spend({ bucket: name, rate, spent }) {
        model.calls += 1;
        if (model.fault === 'away') throw new Error('away');
        const now = clock.monotonicMs();
        const bucket = buckets.get(name) ?? { tokens: rate.burst, at: now, held: new Map() };
        buckets.set(name, bucket);
        const level = Math.min(
          rate.burst,
          bucket.tokens + ((now - bucket.at) * rate.perSecond) / 1000,
        );
        Object.assign(bucket, {
          tokens: Math.max(-rate.burst, Math.min(rate.burst, level - spent)),
          at: now,
        });
        if (model.hold !== undefined) await model.hold;
        if (model.fault === 'lost') throw new Error('lost');
        return Math.floor(bucket.tokens);
      },
    }),
  };
  return model;
}
