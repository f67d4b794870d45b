import {
  flag,
  integer,
  list,
  optionalText,
  text,
  type ConfigOf,
  type ConfigSpec,
} from '@tidings/platform';

const SASL_MECHANISMS = ['none', 'plain', 'scram-sha-256', 'scram-sha-512'];

/** Settings of every service that uses the bus. */
export const busConfig = {
  bus: text(
    'BUS',
    'What carries records between services: kafka, or postgres (a log in the database, for installations without Kafka). The same for all services.',
    { default: 'kafka', values: ['kafka', 'postgres'] },
  ),
  busSessionTimeoutMs: integer(
    'BUS_SESSION_TIMEOUT_MS',
    'BUS=postgres: time without a renewal after which a consumer loses its partitions.',
    { default: 15_000, min: 2_000 },
  ),
  busHeartbeatIntervalMs: integer(
    'BUS_HEARTBEAT_INTERVAL_MS',
    'BUS=postgres: interval between renewals; at most a third of the session timeout.',
    { default: 3_000, min: 100 },
  ),
  kafkaBrokers: list(
    'KAFKA_BROKERS',
    'Bootstrap brokers of Kafka, as host:port. Required if BUS is kafka.',
    { default: [] },
  ),
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
export type BusConfig = ConfigOf<typeof busConfig>;
