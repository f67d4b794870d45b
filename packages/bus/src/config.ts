import { hostname } from 'node:os';
import type { SASLOptions } from 'kafkajs';
import {
  ConfigError,
  flag,
  integer,
  list,
  optionalText,
  text,
  type ConfigOf,
  type ConfigSpec,
  type Logger,
} from '@tidings/platform';
import type { Bus } from './bus.ts';
import { createKafkaBus } from './kafka-bus.ts';

const SASL_MECHANISMS = ['none', 'plain', 'scram-sha-256', 'scram-sha-512'];

/** Settings of every service that uses Kafka. */
export const kafkaConfig = {
  kafkaBrokers: list('KAFKA_BROKERS', 'Bootstrap brokers of Kafka, as host:port.', { min: 1 }),
  kafkaRequestTimeoutMs: integer(
    'KAFKA_REQUEST_TIMEOUT_MS',
    'Timeout of one producer request; a produce call ends within twice this time.',
    {
      default: 5_000,
      min: 500,
    },
  ),
  kafkaSessionTimeoutMs: integer(
    'KAFKA_SESSION_TIMEOUT_MS',
    'Time without heartbeats after which a consumer loses its partitions.',
    {
      default: 45_000,
      min: 6_000,
    },
  ),
  kafkaRebalanceTimeoutMs: integer(
    'KAFKA_REBALANCE_TIMEOUT_MS',
    'Time that the members of a group have to finish their work in a rebalance.',
    {
      default: 60_000,
      min: 6_000,
    },
  ),
  kafkaHeartbeatIntervalMs: integer(
    'KAFKA_HEARTBEAT_INTERVAL_MS',
    'Interval between heartbeats; at most a third of the session timeout.',
    {
      default: 3_000,
      min: 100,
    },
  ),
  kafkaHandlerStallMs: integer(
    'KAFKA_HANDLER_STALL_MS',
    'Time without progress on a batch after which the liveness probe fails.',
    {
      default: 300_000,
      min: 1_000,
    },
  ),
  kafkaTls: flag('KAFKA_TLS', 'Whether connections to Kafka use TLS.', { default: false }),
  kafkaTlsCa: optionalText(
    'KAFKA_TLS_CA',
    'PEM certificate of the authority of the brokers, if the system does not trust it.',
  ),
  kafkaSaslMechanism: text('KAFKA_SASL_MECHANISM', 'SASL mechanism for signing in to Kafka.', {
    default: 'none',
    values: SASL_MECHANISMS,
  }),
  kafkaSaslUsername: optionalText('KAFKA_SASL_USERNAME', 'SASL user name.'),
  kafkaSaslPassword: optionalText('KAFKA_SASL_PASSWORD', 'SASL password.', {
    secret: true,
  }),
} as const satisfies ConfigSpec;
export type KafkaServiceConfig = ConfigOf<typeof kafkaConfig>;

export type BusContext = {
  readonly logger: Logger;
  readonly service: string;
  /** Ends the process if a client is stuck while Kafka is reachable. Absent: no watchdog. */
  readonly onWedged?: () => void;
};

/**
 * The Kafka bus of a service.
 * @throws ConfigError if settings contradict each other
 */
export function kafkaBusFrom(config: KafkaServiceConfig, ctx: BusContext): Bus {
  const problems: string[] = [];
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
  return createKafkaBus({
    brokers: config.kafkaBrokers,
    clientId: `${ctx.service}-${hostname()}`,
    logger: ctx.logger,
    requestTimeoutMs: config.kafkaRequestTimeoutMs,
    sessionTimeoutMs: config.kafkaSessionTimeoutMs,
    rebalanceTimeoutMs: config.kafkaRebalanceTimeoutMs,
    heartbeatIntervalMs: config.kafkaHeartbeatIntervalMs,
    handlerStallMs: config.kafkaHandlerStallMs,
    ...(ctx.onWedged !== undefined && { onWedged: ctx.onWedged }),
    ...(config.kafkaTls ? { tls: config.kafkaTlsCa === '' ? {} : { ca: config.kafkaTlsCa } } : {}),
    ...(sasl === undefined ? {} : { sasl }),
  });
}

function readSasl({
  kafkaSaslMechanism,
  kafkaSaslUsername,
  kafkaSaslPassword,
}: KafkaServiceConfig): SASLOptions | undefined {
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
