import { findKeyGrant, recordKeyUses } from '@tidings/accounts/api-keys';
import type { Rate, RateName } from '@tidings/contracts/limits';
import type { Coordination, RateLimiters } from '@tidings/coordination';
import type { proxyConfig } from '@tidings/http/client-address';
import { integer, type ConfigOf, type ConfigSpec, type ServiceContext } from '@tidings/platform';
import { databaseFrom, type databaseConfig } from '@tidings/postgres/database';
import type { Authorizer } from './authorizer.ts';
import { createKeyCache } from './key-cache.ts';
import { createKeyUses } from './key-uses.ts';
import { createRates, type Rates } from './rates.ts';
import { createWrongKeys } from './wrong-keys.ts';

/** Settings of services that accept API keys. */
export const accessConfig = {
  rateShareReplicas: integer(
    'RATE_SHARE_REPLICAS',
    'Highest number of replicas of this service. While Redis is unavailable, each replica grants this fraction of every rate. A value below the real count lets applications exceed their rates then.',
    { default: 4, min: 1 },
  ),
} as const satisfies ConfigSpec;

/**
 * Settings of services that accept Client keys, which browsers and apps use: a request rate for
 * each network address and a byte rate.
 */
export const clientRatesConfig = {
  rateIngestClientAddressPerSecond: integer(
    'RATE_INGEST_CLIENT_ADDRESS_PER_SECOND',
    'Client-key requests per second from one IPv4 address or IPv6 /64 to one application, counted separately for / and /sdk and by each replica. Private and loopback addresses are exempt. 0: no limit.',
    { default: 50 },
  ),
  rateIngestClientAddressBurst: integer(
    'RATE_INGEST_CLIENT_ADDRESS_BURST',
    'Burst size of RATE_INGEST_CLIENT_ADDRESS_PER_SECOND.',
    { default: 200, min: 1 },
  ),
  rateIngestBytesPerSecond: integer(
    'RATE_INGEST_BYTES_PER_SECOND',
    'Body bytes per second that an application may send to / and /sdk, counted separately for Server and Client keys. 0: no limit.',
    { default: 20 * 1024 * 1024 },
  ),
  rateIngestBytesBurst: integer(
    'RATE_INGEST_BYTES_BURST',
    'Burst size of RATE_INGEST_BYTES_PER_SECOND, in bytes.',
    { default: 40 * 1024 * 1024, min: 1 },
  ),
} as const satisfies ConfigSpec;

/** The rates of `clientRatesConfig`, by their names in the application settings. */
export function listClientRates(
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
  ConfigOf<typeof proxyConfig>;

const KEY_CONNECTIONS = 2;
const KEY_STATEMENT_TIMEOUT_MS = 2_000;

export type Access<Name extends RateName> = Omit<
  Authorizer<Name>,
  'clientAddressOf' | 'callerBlocks'
> & {
  /** Networks whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are trusted. */
  readonly trustedProxies: readonly string[];
  close(): Promise<void>;
};

/**
 * Opens what authorization needs: keys, allow-lists and rates. It has its own connections to
 * Postgres, named after the service.
 */
export function openAccess<Name extends RateName>(
  config: AccessConfig,
  { logger, clock, shared }: Pick<ServiceContext, 'logger' | 'clock' | 'shared'>,
  {
    service,
    rates,
    coordination,
  }: {
    readonly service: string;
    readonly rates: Readonly<Record<Name, Rate>>;
    readonly coordination: Coordination;
  },
): Access<Name> {
  // A separate pool: key guessing delays neither the service's own queries nor, for long, other
  // look-ups.
  const db = databaseFrom(
    {
      ...config,
      databasePoolMax: KEY_CONNECTIONS,
      databaseStatementTimeoutMs: KEY_STATEMENT_TIMEOUT_MS,
    },
    `${service}-keys`,
    { shared },
  );
  const keys = createKeyCache({
    findKeyGrant: (applicationId, key) => findKeyGrant(db, applicationId, key),
    clock,
    onUnavailable: (error) =>
      logger.warn({ err: error }, 'keys cannot be read from Postgres: unknown keys get 503'),
  });
  const unsubscribe = coordination.keyChanges.subscribe((applicationId) =>
    keys.invalidate(applicationId),
  );
  const keyUses = createKeyUses({
    write: (keyIds, usedAt) => recordKeyUses(db, keyIds, usedAt),
    clock,
    logger,
  });
  return {
    keys,
    keyUses,
    wrongKeys: createWrongKeys({ clock }),
    rates: openRates(config, { rates, coordination }).rates,
    trustedProxies: config.trustedProxies,
    async close() {
      keyUses.stop();
      unsubscribe();
      await db.close();
    },
  };
}

/** The rates of a service. All services with a rate of this name share it. */
export function openRates<Name extends RateName>(
  { rateShareReplicas }: ConfigOf<typeof accessConfig>,
  {
    rates,
    coordination,
  }: { readonly rates: Readonly<Record<Name, Rate>>; readonly coordination: Coordination },
): { readonly rates: Rates<Name>; readonly limiterOf: RateLimiters } {
  const limiterOf = coordination.rateLimiters({ replicas: rateShareReplicas });
  return { rates: createRates(limiterOf, rates), limiterOf };
}
