import { findKeyGrant, recordKeyUses } from '@tidings/accounts/api-keys';
import type { Rate, RateName } from '@tidings/contracts';
import {
  integer,
  type ConfigOf,
  type ConfigSpec,
  type proxyConfig,
  type ServiceContext,
} from '@tidings/platform';
import { databaseFrom, type databaseConfig } from '@tidings/postgres/database';
import {
  connectRedis,
  createRateLimiters,
  createSharedBuckets,
  subscribeKeyChanges,
  type RateLimiter,
  type redisConfig,
} from '@tidings/redis';
import type { Authorizer } from './authorize.ts';
import { createKeyCache } from './key-cache.ts';
import { createKeyUses } from './key-uses.ts';
import { createRates, type Rates } from './rates.ts';
import { createWrongKeys } from './wrong-keys.ts';

/** For services that take API keys. */
export const accessConfig = {
  rateShareReplicas: integer(
    'RATE_SHARE_REPLICAS',
    'Processes of the service at most: while Redis is away, each grants one part in so many of the rates. With fewer than there are, the rates are exceeded then.',
    { default: 4, min: 1 },
  ),
} as const satisfies ConfigSpec;

/** For services that take Client keys, whose callers are browsers and apps: one rate for each of their network addresses, and one in bytes. */
export const clientRatesConfig = {
  rateIngestClientAddressPerSecond: integer(
    'RATE_INGEST_CLIENT_ADDRESS_PER_SECOND',
    'Requests with a Client key that one IPv4 address or IPv6 /64 may send to an application in a second, to / and to /sdk each; each process counts by itself. Not for private and loopback addresses. 0: any number.',
    { default: 50 },
  ),
  rateIngestClientAddressBurst: integer(
    'RATE_INGEST_CLIENT_ADDRESS_BURST',
    'Requests with a Client key that one address may send at once, after a pause.',
    { default: 200, min: 1 },
  ),
  rateIngestBytesPerSecond: integer(
    'RATE_INGEST_BYTES_PER_SECOND',
    'Bytes of bodies that an application may send in a second to / and /sdk, by Server keys and by Client keys each; 0: any number.',
    { default: 20 * 1024 * 1024 },
  ),
  rateIngestBytesBurst: integer(
    'RATE_INGEST_BYTES_BURST',
    'Bytes of bodies that an application may send at once, after a pause, by Server keys and by Client keys each.',
    { default: 40 * 1024 * 1024, min: 1 },
  ),
} as const satisfies ConfigSpec;

/** The rates of `clientRatesConfig`, by their names in the settings of applications. */
export function clientRatesOf(
  config: ConfigOf<typeof clientRatesConfig>,
): Readonly<Record<'ingestClientAddress' | 'ingestBytes', Rate>> {
  return {
    ingestClientAddress: {
      perSecond: config.rateIngestClientAddressPerSecond,
      burst: config.rateIngestClientAddressBurst,
    },
    ingestBytes: { perSecond: config.rateIngestBytesPerSecond, burst: config.rateIngestBytesBurst },
  };
}

type AccessConfig = ConfigOf<typeof accessConfig> &
  ConfigOf<typeof databaseConfig> &
  ConfigOf<typeof redisConfig> &
  ConfigOf<typeof proxyConfig>;

const KEY_CONNECTIONS = 2;
const KEY_STATEMENT_TIMEOUT_MS = 2_000;
/** Only so that nothing waits for ever: what a request waits is bounded by the leases themselves. */
const RATE_COMMAND_TIMEOUT_MS = 2_000;

export type Access<Name extends RateName> = Omit<
  Authorizer<Name>,
  'clientAddressOf' | 'callerBlocks'
> & {
  /** Networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. */
  readonly trustedProxies: readonly string[];
  close(): Promise<void>;
};

/** Who may come in, from where, and how often: with connections of its own, named after the service. */
export function openAccess<Name extends RateName>(
  config: AccessConfig,
  { logger, clock, ids }: Pick<ServiceContext, 'logger' | 'clock' | 'ids'>,
  { service, rates }: { readonly service: string; readonly rates: Readonly<Record<Name, Rate>> },
): Access<Name> {
  // Apart: whoever guesses keys holds up neither the service's own work nor the look-ups of others for long.
  const db = databaseFrom(
    {
      ...config,
      databasePoolMax: KEY_CONNECTIONS,
      databaseStatementTimeoutMs: KEY_STATEMENT_TIMEOUT_MS,
    },
    `${service}-keys`,
  );
  const subscription = connectRedis(config, { logger, name: service });
  const shared = openRates(config, { logger, clock, ids }, { service, rates });
  const keys = createKeyCache({
    findKeyGrant: (applicationId, key) => findKeyGrant(db, applicationId, key),
    clock,
  });
  subscribeKeyChanges(subscription, (applicationId) => keys.invalidate(applicationId));
  const keyUses = createKeyUses({
    write: (keyIds, usedAt) => recordKeyUses(db, keyIds, usedAt),
    clock,
    logger,
  });
  return {
    keys,
    keyUses,
    wrongKeys: createWrongKeys({ clock }),
    rates: shared.rates,
    trustedProxies: config.trustedProxies,
    async close() {
      keyUses.stop();
      subscription.disconnect();
      shared.close();
      await db.close();
    },
  };
}

/** How often applications may call: all processes that open the rate of a path share it, with a connection of its own. */
export function openRates<Name extends RateName>(
  config: ConfigOf<typeof accessConfig> & ConfigOf<typeof redisConfig>,
  { logger, clock, ids }: Pick<ServiceContext, 'logger' | 'clock' | 'ids'>,
  { service, rates }: { readonly service: string; readonly rates: Readonly<Record<Name, Rate>> },
): {
  readonly rates: Rates<Name>;
  readonly limiterOf: (kind: string) => RateLimiter;
  close(): void;
} {
  const redis = connectRedis(config, {
    logger,
    name: `${service}-rates`,
    commandTimeoutMs: RATE_COMMAND_TIMEOUT_MS,
  });
  const limiterOf = createRateLimiters({
    shared: createSharedBuckets(redis, ids.uuid()),
    clock,
    logger,
    replicas: config.rateShareReplicas,
  });
  return { rates: createRates(limiterOf, rates), limiterOf, close: () => redis.disconnect() };
}
