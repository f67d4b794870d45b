import { egressConfigs, pushServicesConfig } from '@tidings/egress';
import { hookSecretOf } from '../encryption-key.ts';
import type { Addresses } from '../stack/stack.ts';
import type { ServiceEntry } from './table.ts';

/** The ports of one service; the same after each of its restarts. */
export type ServicePorts = {
  readonly healthPort: number;
  readonly port?: number;
  readonly smtpPort?: number;
};

export type EnvironmentFacts = {
  readonly addresses: Addresses;
  readonly encryptionKey: string;
  readonly dataDir: string;
  /** The front door. */
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  readonly ports: ServicePorts;
  /** The environment of this process, for PATH and the like. */
  readonly inherited: NodeJS.ProcessEnv;
  /** Settings that win over all others: tests shorten timeouts. */
  readonly extra: Readonly<Record<string, string>>;
};

/** The whole configuration of one service on one machine. */
export function environmentOf(
  service: ServiceEntry,
  facts: EnvironmentFacts,
): Record<string, string | undefined> {
  const { addresses, ports, inherited } = facts;
  return {
    ...inherited,
    // As in the image.
    MALLOC_ARENA_MAX: inherited['MALLOC_ARENA_MAX'] ?? '2',
    LOG_LEVEL: inherited['LOG_LEVEL'] ?? 'info',
    HEALTH_HOST: '127.0.0.1',
    HEALTH_PORT: String(ports.healthPort),
    ...(service.hasHttp && { HOST: '127.0.0.1', PORT: String(ports.port) }),
    ...(service.name === 'sandbox' && {
      SMTP_PORT: String(ports.smtpPort),
      DATA_DIR: facts.dataDir,
      HOOK_SECRET: hookSecretOf(facts.encryptionKey),
      REPORT_URL: `${facts.baseUrl}/cb/email/dsn`,
    }),
    DATABASE_URL: service.hasPublicRole ? undefined : addresses.databaseUrl,
    PUBLIC_DATABASE_URL: service.hasPublicRole ? addresses.publicDatabaseUrl : undefined,
    KAFKA_BROKERS: addresses.kafkaBrokers,
    REDIS_URL: addresses.redisUrl,
    ENCRYPTION_KEY: facts.encryptionKey,
    // A consumer that was killed holds up its group for this long; nobody here waits 45 s for it.
    KAFKA_SESSION_TIMEOUT_MS: '10000',
    // No load balancer has to notice that a service is about to go.
    DRAIN_WAIT_MS: '0',
    // Before it is killed, so that it says what it waited for.
    DRAIN_DEADLINE_MS: inherited['DRAIN_DEADLINE_MS'] ?? '25000',
    // One gateway grants all of a rate, also while Redis is away.
    RATE_SHARE_REPLICAS: inherited['RATE_SHARE_REPLICAS'] ?? '1',
    SEND_RATE_SHARE_REPLICAS: inherited['SEND_RATE_SHARE_REPLICAS'] ?? '1',
    // Requests come through the front door, which says where they came from.
    TRUSTED_PROXIES: '127.0.0.1,::1',
    // On one's own machine that may be by plain HTTP.
    HTTPS_ONLY: 'false',
    // The providers are the sandbox.
    ...Object.fromEntries(
      Object.values(egressConfigs).map(({ egressAllowedNetworks }) => [
        egressAllowedNetworks.env,
        '127.0.0.0/8,::1/128',
      ]),
    ),
    WEB_PUSH_SERVICES: [
      facts.sandboxUrl,
      ...(pushServicesConfig.webPushServices.default ?? []),
    ].join(','),
    // They call back through the front door.
    PUBLIC_BASE_URL: facts.baseUrl,
    // A browser that opens the root is redirected here.
    DASHBOARD_URL: `${facts.baseUrl}/dashboard`,
    ...facts.extra,
  };
}
