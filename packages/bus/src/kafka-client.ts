// A CommonJS module: Node detects only some of its named exports, so import the default.
import kafkajs, {
  type ISocketFactory,
  type Kafka,
  type KafkaConfig,
  type RetryOptions,
  type SASLOptions,
  type logCreator,
} from 'kafkajs';
import type { Logger } from '@tidings/platform';
import { createSocketFactory } from './bounded-socket.ts';
import type { WatchdogBounds } from './watchdog.ts';

export type KafkaSettings = {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly logger: Logger;
  /** Timeout of one producer request; a produce call ends within twice this time. */
  readonly requestTimeoutMs: number;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  /**
   * Time without a `heartbeat` or `resolve` call after which a handler counts as stuck and the
   * consumer as not alive.
   */
  readonly handlerStallMs: number;
  /**
   * Absent: no TLS. `ca` is a PEM text for a broker whose certificate the system does not trust.
   */
  readonly tls?: { readonly ca?: string };
  readonly sasl?: SASLOptions;
  /**
   * Called once if a client is stuck while the broker is reachable: the process must end. Absent:
   * no watchdog.
   */
  readonly onWedged?: () => void;
  /** Shorter bounds for tests. */
  readonly watchdogBounds?: WatchdogBounds;
};

export type KafkaClientOptions = {
  readonly requestTimeoutMs: number;
  readonly retry: RetryOptions;
  /** Called when the client reports a failure, which also shows that it is still trying. */
  readonly onComplaint?: () => void;
  readonly socketFactory?: ISocketFactory;
};

/** New partitions and moved leaders are detected within this time. */
export const METADATA_MAX_AGE_MS = 60_000;

const CONNECTION_TIMEOUT_MS = 3_000;
const REPEATED_LINE_MS = 5_000;

/**
 * One client per producer, consumer and admin: consumers that share a client would share their
 * committed offsets.
 */
export function createKafkaClient(settings: KafkaSettings, own: KafkaClientOptions): Kafka {
  const { tls, sasl } = settings;
  const config: KafkaConfig = {
    clientId: settings.clientId,
    brokers: [...settings.brokers],
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    authenticationTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: own.requestTimeoutMs,
    retry: own.retry,
    socketFactory: own.socketFactory ?? createSocketFactory(),
    logLevel: kafkajs.logLevel.INFO,
    logCreator: logTo(settings.logger, own.onComplaint),
  };
  if (tls !== undefined) config.ssl = tls.ca === undefined ? true : { ca: tls.ca };
  if (sasl !== undefined) config.sasl = sasl;
  return new kafkajs.Kafka(config);
}

/**
 * Logs kafkajs errors as warnings, because kafkajs or this package handles them. Repeated lines are
 * limited: an outage repeats them many times per second.
 */
function logTo(logger: Logger, onComplaint?: () => void): logCreator {
  const lastAt = new Map<string, number>();
  return () =>
    ({ namespace, level, log }) => {
      const facts = {
        source: namespace,
        reason: log.message,
        broker: log['broker'],
        groupId: log['groupId'],
        error: log['error'],
      };
      if (level > kafkajs.logLevel.WARN) {
        logger.debug(facts, 'kafka client');
        return;
      }
      onComplaint?.();
      const line = `${namespace} ${log.message}`;
      const now = performance.now();
      if (now - (lastAt.get(line) ?? -Infinity) < REPEATED_LINE_MS) return;
      if (lastAt.size > 100) lastAt.clear();
      lastAt.set(line, now);
      logger.warn(facts, 'kafka client');
    };
}
