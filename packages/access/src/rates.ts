import type { KeyType, Rate } from '@tidings/contracts';
import type { KeyGrant, RateName } from '@tidings/db';
import type { LocalRate, RateBucket, RateLimiter, RateMeter } from '@tidings/redis';

type Rated = Pick<KeyGrant, 'applicationId' | 'settings'>;

/** The buckets that requests are counted in; undefined where a rate is off. */
export interface Rates<Name extends RateName> {
  /** The application's, or that of one caller of it by a name he has there. */
  bucketOf(name: Name, application: Rated, caller?: string): RateBucket | undefined;
  /** Bytes that an application sends with keys of this type. */
  meterOf(name: Name, application: Rated, keyType: KeyType): RateMeter | undefined;
  /** That of one block of addresses, in this process. */
  blockBucketOf(name: Name, application: Rated, block: string): LocalRate | undefined;
}

/** An application's own rates, else the operator's; 0 a second is no limit. */
export function createRates<Name extends RateName>(limiterOf: (kind: string) => RateLimiter, defaults: Readonly<Record<Name, Rate>>): Rates<Name> {
  const names = Object.keys(defaults) as Name[];
  const limiters = Object.fromEntries(names.map((name) => [name, limiterOf(name)])) as Record<Name, RateLimiter>;
  // Kinds of their own, so that an owner is the application's id as it is: no text is made for a request.
  const meters = new Map(names.map((name) => [name, { server: limiterOf(`${name}:server`), client: limiterOf(`${name}:client`) }] as const));
  const rateOf = (name: Name, { rates }: Rated['settings']): Rate | undefined => {
    const rate = rates?.[name] ?? (name === 'ingestClient' && rates?.ingest !== undefined ? halfOf(rates.ingest) : defaults[name]);
    return rate.perSecond === 0 ? undefined : rate;
  };
  return {
    bucketOf(name, { applicationId, settings }, caller) {
      const rate = rateOf(name, settings);
      if (rate === undefined) return undefined;
      return limiters[name].bucketOf(caller === undefined ? applicationId : `${applicationId}:${caller}`, rate);
    },
    meterOf(name, { applicationId, settings }, keyType) {
      const rate = rateOf(name, settings);
      return rate === undefined ? undefined : meters.get(name)?.[keyType].meterOf(applicationId, rate);
    },
    blockBucketOf(name, { applicationId, settings }, block) {
      const rate = rateOf(name, settings);
      return rate === undefined ? undefined : limiters[name].localOf(`${applicationId}:${block}`, rate);
    },
  };
}

const halves = new WeakMap<Rate, Rate>();

/** What Client keys have of the rate of Server keys, where nothing else is said. */
export function halfOf(rate: Rate): Rate {
  let half = halves.get(rate);
  if (half === undefined) halves.set(rate, (half = { perSecond: rate.perSecond / 2, burst: Math.max(1, Math.floor(rate.burst / 2)) }));
  return half;
}
