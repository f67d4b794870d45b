import type { Rate } from '@tidings/contracts';
import type { KeyGrant, RatedPath } from '@tidings/db';
import type { RateBucket, RateLimiter } from '@tidings/redis';

/** The buckets that requests are counted in. */
export interface Rates<Path extends RatedPath> {
  /** The application's, or that of one caller of it by a name he has there. Undefined where the rate is off. */
  bucketOf(path: Path, application: Pick<KeyGrant, 'applicationId' | 'settings'>, caller?: string): RateBucket | undefined;
}

/** An application's own rates, else the operator's; 0 a second is no limit. */
export function createRates<Path extends RatedPath>(limiterOf: (kind: string) => RateLimiter, defaults: Readonly<Record<Path, Rate>>): Rates<Path> {
  const paths = Object.keys(defaults) as Path[];
  const limiters = Object.fromEntries(paths.map((path) => [path, limiterOf(path)])) as Record<Path, RateLimiter>;
  return {
    bucketOf(path, { applicationId, settings }, caller) {
      const rate = settings.rates?.[path] ?? defaults[path];
      if (rate.perSecond === 0) return undefined;
      return limiters[path].bucketOf(caller === undefined ? applicationId : `${applicationId}:${caller}`, rate);
    },
  };
}
