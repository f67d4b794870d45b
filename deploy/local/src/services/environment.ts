import { deriveHookSecret } from '../encryption-key.ts';
import type { Addresses } from '../stack/stack.ts';
import type { ServiceEntry } from './table.ts';

/** Ports of one service; they stay the same across restarts. */
export type ServicePorts = {
  readonly healthPort: number;
  readonly port?: number;
  readonly smtpPort?: number;
};

/** Settings of what services may call outside. */
export type OutgoingCalls = {
  /** Names of the settings of allowed networks. */
  readonly networkSettings: readonly string[];
  /** The default push services. */
  readonly pushServices: readonly string[];
};

export type EnvironmentFacts = {
  readonly addresses: Addresses;
  readonly encryptionKey: string;
  readonly outgoingCalls: OutgoingCalls;
  readonly dataDir: string;
  /** Base URL of the reverse proxy. */
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  readonly ports: ServicePorts;
  /** Environment of this process, for PATH and the like. */
  readonly inherited: NodeJS.ProcessEnv;
  /** Settings that override all others; tests shorten timeouts. */
  readonly extra: Readonly<Record<string, string>>;
};

/** The complete configuration of one service on one machine. */
export function buildEnvironment(
  service: ServiceEntry,
  facts: EnvironmentFacts,
): Record<string, string | undefined> {
  const { addresses, ports, inherited } = facts;
  return {
    ...inherited,
    // Same as in the image.
    MALLOC_ARENA_MAX: inherited['MALLOC_ARENA_MAX'] ?? '2',
    LOG_LEVEL: inherited['LOG_LEVEL'] ?? 'info',
    HEALTH_HOST: '127.0.0.1',
    HEALTH_PORT: String(ports.healthPort),
    ...(service.hasHttp && { HOST: '127.0.0.1', PORT: String(ports.port) }),
    ...(service.name === 'sandbox' && {
      SMTP_PORT: String(ports.smtpPort),
      DATA_DIR: facts.dataDir,
      HOOK_SECRET: deriveHookSecret(facts.encryptionKey),
      REPORT_URL: `${facts.baseUrl}/cb/email/dsn`,
    }),
    DATABASE_URL: service.hasPublicRole ? undefined : addresses.databaseUrl,
    PUBLIC_DATABASE_URL: service.hasPublicRole ? addresses.publicDatabaseUrl : undefined,
    BUS: addresses.bus,
    KAFKA_BROKERS: addresses.kafkaBrokers || undefined,
    REDIS_URL: addresses.redisUrl || undefined,
    ENCRYPTION_KEY: facts.encryptionKey,
    // A killed consumer blocks its group for this long; the default of 45 s is too slow for local
    // use.
    KAFKA_SESSION_TIMEOUT_MS: '10000',
    // No load balancer must notice the shutdown first.
    DRAIN_WAIT_MS: '0',
    // Shorter than the kill timeout, so that the service logs what it waited for.
    DRAIN_DEADLINE_MS: inherited['DRAIN_DEADLINE_MS'] ?? '25000',
    // What exits is started again; nothing asks /healthz.
    WATCHDOG_MS: inherited['WATCHDOG_MS'] ?? '30000',
    // A single gateway grants the full rate, even without Redis.
    RATE_SHARE_REPLICAS: inherited['RATE_SHARE_REPLICAS'] ?? '1',
    SEND_RATE_SHARE_REPLICAS: inherited['SEND_RATE_SHARE_REPLICAS'] ?? '1',
    // Requests come through the reverse proxy, which sets X-Forwarded-For.
    TRUSTED_PROXIES: '127.0.0.1,::1',
    // Plain HTTP is allowed on a local machine.
    HTTPS_ONLY: 'false',
    // The sandbox replaces the providers.
    ...Object.fromEntries(
      facts.outgoingCalls.networkSettings.map((name) => [name, '127.0.0.0/8,::1/128']),
    ),
    WEB_PUSH_SERVICES: [facts.sandboxUrl, ...facts.outgoingCalls.pushServices].join(','),
    // Provider callbacks come through the reverse proxy.
    PUBLIC_BASE_URL: facts.baseUrl,
    // A browser that opens the root is redirected here.
    DASHBOARD_URL: `${facts.baseUrl}/dashboard`,
    ...facts.extra,
  };
}
