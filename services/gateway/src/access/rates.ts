import type { Rate } from '@tidings/contracts';
import type { KeyGrant, RatedPath } from '@tidings/db';
import type { RateBucket, RateLimiter } from '@tidings/redis';

/** The bucket that a request is counted in. */
export interface Rates {
  /** Undefined where the rate is off. */
  bucketOf(path: RatedPath, grant: KeyGrant): RateBucket | undefined;
}

/** An application's own rates, else the operator's; 0 a second is no limit. */
export function createRates(limiterOf: (kind: string) => RateLimiter, defaults: Readonly<Record<RatedPath, Rate>>): Rates {
  const limiters = { ingest: limiterOf('ingest'), push: limiterOf('push') } satisfies Record<RatedPath, RateLimiter>;
  return {
    bucketOf(path, { applicationId, settings }) {
      const rate = settings.rates?.[path] ?? defaults[path];
      return rate.perSecond === 0 ? undefined : limiters[path].bucketOf(applicationId, rate);
    },
  };
}
