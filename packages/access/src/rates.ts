import type { KeyGrant } from '@tidings/accounts/api-keys';
import type { KeyType, Rate, RateName } from '@tidings/contracts';
import type { LocalRate, RateBucket, RateLimiter, RateMeter } from '@tidings/redis';

type Rated = Pick<KeyGrant, 'applicationId' | 'settings'>;

/** Which rates count a request. */
export type RateNames<Name extends RateName> = {
  /** Requests of the application. */
  readonly requests: Name;
  /** Requests from one block of addresses. */
  readonly block?: Name;
  /** Bytes of bodies. */
  readonly bytes?: Name;
};

/** The buckets of one request; absent ones are off. */
export type Buckets = {
  readonly countedBy: RateNames<RateName>;
  readonly requests: RateBucket | undefined;
  readonly block: LocalRate | undefined;
  readonly bytes: RateMeter | undefined;
};

/** The buckets that requests are counted in; undefined where a rate is off. */
export interface Rates<Name extends RateName> {
  /** All but that of the caller's address. */
  bucketsOf(countedBy: RateNames<Name>, grant: Rated & Pick<KeyGrant, 'type'>): Buckets;
  /** The application's, or that of one caller of it by a name he has there. */
  bucketOf(name: Name, application: Rated, caller?: string): RateBucket | undefined;
  /** That of one block of addresses, in this process. */
  blockBucketOf(name: Name, application: Rated, block: string): LocalRate | undefined;
}

/** An application's own rates, else the operator's; 0 a second is no limit. */
export function createRates<Name extends RateName>(
  limiterOf: (kind: string) => RateLimiter,
  defaults: Readonly<Record<Name, Rate>>,
): Rates<Name> {
  const names = Object.keys(defaults) as Name[];
  const limiters = Object.fromEntries(names.map((name) => [name, limiterOf(name)])) as Record<
    Name,
    RateLimiter
  >;
  const meters = new Map(
    names.map(
      (name) =>
        [
          name,
          { server: limiterOf(`${name}:server`), client: limiterOf(`${name}:client`) },
        ] as const,
    ),
  );
  const rateOf = (name: Name, { rates }: Rated['settings']): Rate | undefined => {
    const rate =
      rates?.[name] ??
      (name === 'ingestClient' && rates?.ingest !== undefined
        ? halveRate(rates.ingest)
        : defaults[name]);
    return rate.perSecond === 0 ? undefined : rate;
  };
  const bucketOf: Rates<Name>['bucketOf'] = (name, { applicationId, settings }, caller) => {
    const rate = rateOf(name, settings);
    if (rate === undefined) return undefined;
    return limiters[name].bucketOf(
      caller === undefined ? applicationId : `${applicationId}:${caller}`,
      rate,
    );
  };
  const meterOf = (
    name: Name,
    { applicationId, settings }: Rated,
    keyType: KeyType,
  ): RateMeter | undefined => {
    const rate = rateOf(name, settings);
    return rate === undefined
      ? undefined
      : meters.get(name)?.[keyType].meterOf(applicationId, rate);
  };
  // Kept for as long as a grant is: the key cache reads it anew every 20 s or so, and with it the settings.
  const known = new Map<RateNames<Name>, WeakMap<object, Buckets>>();
  return {
    bucketsOf(countedBy, grant) {
      let ofGrants = known.get(countedBy);
      if (ofGrants === undefined) known.set(countedBy, (ofGrants = new WeakMap()));
      let buckets = ofGrants.get(grant);
      if (buckets === undefined) {
        buckets = {
          countedBy,
          requests: bucketOf(countedBy.requests, grant),
          block: undefined,
          bytes: countedBy.bytes && meterOf(countedBy.bytes, grant, grant.type),
        };
        ofGrants.set(grant, buckets);
      }
      return buckets;
    },
    bucketOf,
    blockBucketOf(name, { applicationId, settings }, block) {
      const rate = rateOf(name, settings);
      return rate === undefined
        ? undefined
        : limiters[name].localOf(`${applicationId}:${block}`, rate);
    },
  };
}

const halves = new WeakMap<Rate, Rate>();

/** What Client keys have of the rate of Server keys, where nothing else is said. */
export function halveRate(rate: Rate): Rate {
  let half = halves.get(rate);
  if (half === undefined)
    halves.set(
      rate,
      (half = { perSecond: rate.perSecond / 2, burst: Math.max(1, Math.floor(rate.burst / 2)) }),
    );
  return half;
}
