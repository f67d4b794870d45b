import type { KeyGrant } from '@tidings/accounts/api-keys';
import type { KeyType } from '@tidings/contracts/ingest/records';
import type { Rate, RateName } from '@tidings/contracts/limits';
import type {
  LocalRate,
  RateBucket,
  RateLimiter,
  RateLimiters,
  RateMeter,
} from '@tidings/coordination';

type Rated = Pick<KeyGrant, 'applicationId' | 'settings'>;

/** The rates that count a request. */
export type RateNames<Name extends RateName> = {
  /** Requests of the application. */
  readonly requests: Name;
  /** Requests from one address block. */
  readonly block?: Name;
  /** Body bytes. */
  readonly bytes?: Name;
};

/** The buckets of one request; undefined where a rate is off. */
export type Buckets = {
  readonly countedBy: RateNames<RateName>;
  readonly requests: RateBucket | undefined;
  readonly block: LocalRate | undefined;
  readonly bytes: RateMeter | undefined;
};

/** Token buckets by rate name; undefined where a rate is off. */
export interface Rates<Name extends RateName> {
  /** All buckets except the one of the caller's address block. */
  bucketsOf(countedBy: RateNames<Name>, grant: Rated & Pick<KeyGrant, 'type'>): Buckets;
  /** The bucket of an application, or of one caller within it, by the caller's name there. */
  bucketOf(name: Name, application: Rated, caller?: string): RateBucket | undefined;
  /** The bucket of one address block, in this process only. */
  blockBucketOf(name: Name, application: Rated, block: string): LocalRate | undefined;
}

/**
 * Uses the rates of the application, else the defaults of the operator. A rate of 0 per second is
 * off.
 */
export function createRates<Name extends RateName>(
  limiterOf: RateLimiters,
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
  // Cached as long as the grant: the key cache reloads it every 20 s or so, with the settings.
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

/** The default rate of Client keys: half the rate of Server keys. */
export function halveRate(rate: Rate): Rate {
  let half = halves.get(rate);
  if (half === undefined)
    halves.set(
      rate,
      (half = { perSecond: rate.perSecond / 2, burst: Math.max(1, Math.floor(rate.burst / 2)) }),
    );
  return half;
}
