import { hostname } from 'node:os';
import type { SASLOptions } from 'kafkajs';
import { readBusState, type BusKind } from '@tidings/partitioned-log/state';
import { ConfigError, createShared, type Logger, type Shared } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { Bus } from './bus.ts';
import type { BusConfig } from './config.ts';
import { createKafkaBus } from './kafka-bus.ts';
import type { KafkaSettings } from './kafka-client.ts';
import { guardBus } from './guarded-bus.ts';
import { createPostgresBus, type PostgresBusSettings } from './postgres-bus.ts';

export type BusContext = {
  readonly logger: Logger;
  readonly service: string;
  /** Services that share it share the bus. */
  readonly shared?: Shared;
  /**
   * Ends the process: if a client is stuck while Kafka is reachable, and if the installation moved to
   * the other bus. Absent: no watchdog.
   */
  readonly onBroken?: () => void;
  /** Tells which bus the installation uses. Absent: the bus is not compared with it. */
  readonly db?: Pick<Database, 'sql'>;
};

export type BusSettings = BusConfig & { readonly databaseUrl: string };

/** Times of the bus on Postgres, as those of Kafka by default. */
const POSTGRES_BUS = { requestTimeoutMs: 5_000, rebalanceTimeoutMs: 60_000 } as const;

/**
 * The bus of a service: Kafka, or the log in Postgres. Services of one process share it; the last
 * that disconnects closes it.
 * @throws ConfigError if settings contradict each other
 */
export function openBus(config: BusSettings, ctx: BusContext): Bus {
  const { shared = createShared() } = ctx;
  const { value, release } = shared.use(`bus ${config.databaseUrl}`, {
    open: () => openGuarded(config, { ...ctx, shared }),
    close: (bus) => bus.disconnect(),
  });
  return {
    ...value,
    // Its lines have the name of the service, also on a bus that another one has opened.
    consume: (options) => value.consume({ logger: ctx.logger, ...options }),
    disconnect: release,
  };
}

function openGuarded(config: BusSettings, ctx: BusContext & { readonly shared: Shared }): Bus {
  const own: BusKind = config.bus === 'postgres' ? 'postgres' : 'kafka';
  const bus =
    own === 'postgres'
      ? createPostgresBus(readPostgresSettings(config, ctx))
      : createKafkaBus(readKafkaSettings(config, ctx));
  const { db, logger, onBroken = () => undefined } = ctx;
  if (db === undefined) return bus;
  return guardBus(bus, {
    own,
    read: () => readBusState(db.sql),
    logger,
    onMoved: onBroken,
  });
}

function readPostgresSettings(
  { databaseUrl, busSessionTimeoutMs, busHeartbeatIntervalMs, kafkaHandlerStallMs }: BusSettings,
  { logger, service, shared }: BusContext & { readonly shared: Shared },
): PostgresBusSettings {
  if (busHeartbeatIntervalMs * 3 > busSessionTimeoutMs)
    throw new ConfigError([
      'BUS_HEARTBEAT_INTERVAL_MS must be at most a third of BUS_SESSION_TIMEOUT_MS',
    ]);
  return {
    ...POSTGRES_BUS,
    databaseUrl,
    applicationName: shared.nameOf(`${service}-bus`),
    logger,
    sessionTimeoutMs: busSessionTimeoutMs,
    heartbeatIntervalMs: busHeartbeatIntervalMs,
    handlerStallMs: kafkaHandlerStallMs,
  };
}

function readKafkaSettings(config: BusConfig, ctx: BusContext): KafkaSettings {
  const problems: string[] = [];
  if (config.kafkaBrokers.length === 0) problems.push('KAFKA_BROKERS is missing: BUS is kafka');
  if (config.kafkaHeartbeatIntervalMs * 3 > config.kafkaSessionTimeoutMs) {
    problems.push(
      'KAFKA_HEARTBEAT_INTERVAL_MS must be at most a third of KAFKA_SESSION_TIMEOUT_MS',
    );
  }
  if (
    config.kafkaSaslMechanism !== 'none' &&
    (config.kafkaSaslUsername === '' || config.kafkaSaslPassword === '')
  ) {
    problems.push('KAFKA_SASL_MECHANISM needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD');
  }
  if (config.kafkaTlsCa !== '' && !config.kafkaTls)
    problems.push('KAFKA_TLS_CA is set but KAFKA_TLS is false');
  if (problems.length > 0) throw new ConfigError(problems);

  const sasl = readSasl(config);
  return {
    brokers: config.kafkaBrokers,
    clientId: `${ctx.service}-${hostname()}`,
    logger: ctx.logger,
    requestTimeoutMs: config.kafkaRequestTimeoutMs,
    sessionTimeoutMs: config.kafkaSessionTimeoutMs,
    rebalanceTimeoutMs: config.kafkaRebalanceTimeoutMs,
    heartbeatIntervalMs: config.kafkaHeartbeatIntervalMs,
    handlerStallMs: config.kafkaHandlerStallMs,
    ...(ctx.onBroken !== undefined && { onWedged: ctx.onBroken }),
    ...(config.kafkaTls ? { tls: config.kafkaTlsCa === '' ? {} : { ca: config.kafkaTlsCa } } : {}),
    ...(sasl === undefined ? {} : { sasl }),
  };
}

function readSasl({
  kafkaSaslMechanism,
  kafkaSaslUsername,
  kafkaSaslPassword,
}: BusConfig): SASLOptions | undefined {
  const account = { username: kafkaSaslUsername, password: kafkaSaslPassword };
  switch (kafkaSaslMechanism) {
    case 'plain':
    case 'scram-sha-256':
    case 'scram-sha-512':
      return { mechanism: kafkaSaslMechanism, ...account };
    default:
      return undefined;
  }
}
